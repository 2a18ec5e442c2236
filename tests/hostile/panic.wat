;; Panics with text that would clear a terminal.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (call $panicked (i32.const 1024) (i32.const 10))
  (unreachable))
