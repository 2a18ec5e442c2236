;; Reads the submission byte by byte, a million times, and scores with the number of bytes that came.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (local $times i32) (local $bytes i32)
  (loop $more
    (global.set $top (i32.const 8192))
    (call $read (local.get $submission) (i64.const 3) (i32.const 1) (i32.const 256))
    (local.set $bytes (i32.add (local.get $bytes) (i32.load (i32.const 260))))
    (br_if $more (i32.lt_u
      (local.tee $times (i32.add (local.get $times) (i32.const 1))) (i32.const 1000000))))
  (call $score (f64.convert_i32_u (local.get $bytes))))
