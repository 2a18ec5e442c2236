;; Reads without end, as much as there is.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (loop $on
    (global.set $top (i32.const 8192))
    (call $read (local.get $submission) (i64.const 0) (i32.const -1) (i32.const 256))
    (br $on))
  (unreachable))
