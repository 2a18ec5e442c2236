;; Fills memory without end: one instruction, 64 KiB of work.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (loop $on
    (memory.fill (i32.const 0) (i32.const 7) (i32.const 65536))
    (br $on))
  (unreachable))
