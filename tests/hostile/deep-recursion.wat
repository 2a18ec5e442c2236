;; Calls itself until the stack ends. The call is no tail call: its result is used.
(func $deeper (param i32) (result i32)
  (i32.add (i32.const 1) (call $deeper (i32.add (local.get 0) (i32.const 1)))))
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (call $deeper (i32.const 0)))
