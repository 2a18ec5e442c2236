;; Warns without end, sixty kilobytes at a time.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (loop $on (call $warn (i32.const 2048) (i32.const 60000)) (br $on))
  (unreachable))
