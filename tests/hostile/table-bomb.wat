;; Makes a table ever larger, and gives up when that is refused.
(table $table 1 funcref)
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (loop $more (br_if $more
    (i32.ne (i32.const -1) (table.grow $table (ref.null func) (i32.const 100000)))))
  (unreachable))
