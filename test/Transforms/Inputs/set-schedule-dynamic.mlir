// A dynamic extent; set-schedule.mlir runs this.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @dynamic(%a: tensor<?x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.exp ins(%a : tensor<?x8xf32>) outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
