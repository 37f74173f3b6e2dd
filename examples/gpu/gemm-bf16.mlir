// C = A B on four GPUs, each with its columns of B and C: the rows of A go round
// and are all gathered in the end, one tile a step, behind the compute. What
// each rank holds and sends is the same on CPUs and on GPUs:
//   mercury-run examples/gpu/gemm-bf16.mlir --verify
//   mercury-run examples/gpu/gemm-bf16.mlir --verify --target=emulated
//   mercury-run examples/gpu/gemm-bf16.mlir --verify --target=cuda
commir.topology @machine levels [#commir.level<gpu, 4>]

func.func @gemm(%a: tensor<512x256xbf16>, %b: tensor<256x384xbf16>) -> tensor<512x384xbf16> {
  %zero = arith.constant dense<0.0> : tensor<512x384xbf16>
  %c = linalg.matmul {
           commir.schedule = #commir.schedule<"loops [time {gpu} shift {gpu}, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]] results [[{}, {gpu}]]">}
         ins(%a, %b : tensor<512x256xbf16>, tensor<256x384xbf16>)
         outs(%zero : tensor<512x384xbf16>) -> tensor<512x384xbf16>
  return %c : tensor<512x384xbf16>
}
