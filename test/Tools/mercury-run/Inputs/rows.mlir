// Rows over the ranks.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["linalg.matmul"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %schedule = transform.param.constant #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">
      -> !transform.any_param
    transform.annotate %ops "commir.schedule" = %schedule
      : !transform.any_op, !transform.any_param
    transform.yield
  }
}
