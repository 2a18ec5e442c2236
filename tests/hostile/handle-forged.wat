;; Asks for the size of a file that it was not given.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (call $score (f64.convert_i64_u (call $size (i32.const 12345)))))
