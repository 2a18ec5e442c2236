;; The smallest grader there can be: every submission scores one half, every empty one is invalid.
;;
;; Real graders are written with the SDK; this one shows what the contract comes down to, and serves the documentation
;; of the library as an example.
(component
  ;; What the host lends: of a file, only its size is asked here.
  (import "podium:grading/files@1.0.0" (instance $files
    (export "file" (type $file (sub resource)))
    (export "[method]file.size" (func (param "self" (borrow $file)) (result u64)))))
  (alias export $files "file" (type $file))
  (core func $size (canon lower (func $files "[method]file.size")))

  (core module $Code
    (import "host" "size" (func $size (param i32) (result i64)))
    (memory (export "memory") 1)
    (data (i32.const 100) "example")
    (data (i32.const 120) "none")
    (data (i32.const 140) "the submission is empty")
    ;; A description: address and length of the competition's id, of the metric's name, then the direction.
    (data (i32.const 16) "\64\00\00\00\07\00\00\00" "\78\00\00\00\04\00\00\00" "\00")
    ;; A score: which of the two results it is, then at 8 bytes from there the value, then no measures.
    (data (i32.const 40) "\00\00\00\00\00\00\00\00" "\00\00\00\00\00\00\e0\3f" "\00\00\00\00\00\00\00\00")
    ;; A failure: the other result, then whose fault it is, then address and length of the message.
    (data (i32.const 64) "\01\00\00\00\00\00\00\00" "\00\00\00\00" "\8c\00\00\00\17\00\00\00")
    (func (export "describe") (result i32) (i32.const 16))
    (func (export "grade") (param $submission i32) (param $answers i32) (param $count i32) (result i32)
      (select (i32.const 64) (i32.const 40) (i64.eqz (call $size (local.get $submission)))))
    ;; Where the host puts the list of answers. It does so once, so any place will do.
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096)))
  (core instance $code (instantiate $Code
    (with "host" (instance (export "size" (func $size))))))

  (type $direction (enum "higher-is-better" "lower-is-better"))
  (type $description (record
    (field "competition" string) (field "metric" string) (field "direction" $direction)))
  (type $measure (record (field "name" string) (field "value" f64)))
  (type $score (record (field "value" f64) (field "measures" (list $measure))))
  (type $failure (variant (case "invalid-submission" string) (case "invalid-answers" string)))
  (func $describe (result $description)
    (canon lift (core func $code "describe") (memory (core memory $code "memory"))))
  (func $grade
    (param "submission" (own $file)) (param "answers" (list (own $file)))
    (result (result $score (error $failure)))
    (canon lift (core func $code "grade")
      (memory (core memory $code "memory")) (realloc (core func $code "realloc"))))

  ;; An interface is an instance, and one whose functions speak of named types comes out of a component of its own.
  (component $Grader
    (import "file" (type $file (sub resource)))
    (type $direction-shape (enum "higher-is-better" "lower-is-better"))
    (import "direction" (type $direction (eq $direction-shape)))
    (type $description-shape (record
      (field "competition" string) (field "metric" string) (field "direction" $direction)))
    (import "description" (type $description (eq $description-shape)))
    (type $measure-shape (record (field "name" string) (field "value" f64)))
    (import "measure" (type $measure (eq $measure-shape)))
    (type $score-shape (record (field "value" f64) (field "measures" (list $measure))))
    (import "score" (type $score (eq $score-shape)))
    (type $failure-shape (variant (case "invalid-submission" string) (case "invalid-answers" string)))
    (import "failure" (type $failure (eq $failure-shape)))
    (import "describe" (func $describe (result $description)))
    (import "grade" (func $grade
      (param "submission" (own $file)) (param "answers" (list (own $file)))
      (result (result $score (error $failure)))))

    (export $file-out "file" (type $file))
    (export $direction-out "direction" (type $direction))
    (type $description-of-out (record
      (field "competition" string) (field "metric" string) (field "direction" $direction-out)))
    (export $description-out "description" (type $description) (type (eq $description-of-out)))
    (export $measure-out "measure" (type $measure))
    (type $score-of-out (record (field "value" f64) (field "measures" (list $measure-out))))
    (export $score-out "score" (type $score) (type (eq $score-of-out)))
    (export $failure-out "failure" (type $failure))
    (export "describe" (func $describe) (func (result $description-out)))
    (export "grade" (func $grade) (func
      (param "submission" (own $file-out)) (param "answers" (list (own $file-out)))
      (result (result $score-out (error $failure-out))))))
  (instance $grader (instantiate $Grader
    (with "file" (type $file))
    (with "direction" (type $direction))
    (with "description" (type $description))
    (with "measure" (type $measure))
    (with "score" (type $score))
    (with "failure" (type $failure))
    (with "describe" (func $describe))
    (with "grade" (func $grade))))
  (export "podium:grading/grader@1.0.0" (instance $grader)))
