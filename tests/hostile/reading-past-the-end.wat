;; Reads from the end of the submission on, and scores with the number of bytes that came.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (call $read (local.get $submission) (call $size (local.get $submission)) (i32.const 100) (i32.const 256))
  (call $score (f64.convert_i32_u (i32.load (i32.const 260)))))
