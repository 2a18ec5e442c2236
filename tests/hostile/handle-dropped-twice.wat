;; Drops the submission twice.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (call $drop (local.get $submission))
  (call $drop (local.get $submission))
  (call $score (f64.const 1)))
