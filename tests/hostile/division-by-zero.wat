;; Divides by zero.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (i32.div_u (i32.const 1) (i32.sub (local.get $count) (local.get $count))))
