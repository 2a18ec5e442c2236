;; Reads at offsets and of lengths that no file has, and scores with the number of bytes that came.
(func $bytes (param $file i32) (param $offset i64) (param $length i32) (result i32)
  (call $read (local.get $file) (local.get $offset) (local.get $length) (i32.const 256))
  (i32.load (i32.const 260)))
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (call $score (f64.convert_i32_u
    (i32.add
      (i32.add
        (call $bytes (local.get $submission) (i64.const -1) (i32.const -1))
        (call $bytes (local.get $submission) (i64.const 0x7fffffffffffffff) (i32.const -1)))
      (i32.add
        (call $bytes (local.get $submission) (i64.const 0x100000000) (i32.const 1))
        (call $bytes (local.get $submission) (i64.const -16) (i32.const 32)))))))
