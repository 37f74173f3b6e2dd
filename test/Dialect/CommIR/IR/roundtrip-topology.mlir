// Every field of a topology survives printing and parsing, as text and as bytecode.
// RUN: mercury-opt %s | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --emit-bytecode | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --mlir-print-op-generic | mercury-opt | FileCheck %s

module {

// CHECK: commir.topology @all_fields levels [
// CHECK-SAME: #commir.level<node, 2, bandwidth 1.2e+10, latency 7.0e-06, launch 8.5e-06, contention 0.25, half_duplex, no_peer_access, domain "network card", shared_by 2, failure_domain "rack", primitives [send_recv, all_gather, all_reduce], curve send_recv [(4096, 1.0e+09), (1.0e+06, 1.2e+10)], curve all_reduce [(65536, 2.7e+09)], interval [(1, 0.37), (67108864, 0.02)]>,
// CHECK-SAME: #commir.level<gpu, 4, in_switch_reduction>]
// CHECK-SAME: device <name "h100-sxm", memory 80000000000, reservable 76000000000, bandwidth 3.35e+12, bandwidth_fraction 0.9, launch 4.0e-06, communication_share 0.1, interval 0.05, power 700, peak {bf16 = 9.89e+14, f8E4M3FN = 1.979e+15},
// CHECK-SAME: achieved [gemm bf16 fraction [(1024, 0.25), (8192, 0.7)] interval 0.1, attention bf16 head_dim 128 causal backward library "fa3" fraction [(4096, 0.5)], gemm f8E4M3FN library "cublas" fraction [(8192, 0.7)]]>
commir.topology @all_fields levels [
  #commir.level<node, 2, interval [(1, 0.37), (67108864, 2.0e-2)],
    curve all_reduce [(65536, 2.7e9)], curve send_recv [(4096, 1.0e9), (1.0e6, 1.2e10)],
    primitives [send_recv, all_gather, all_reduce], failure_domain "rack", shared_by 2,
    domain "network card", no_peer_access, half_duplex, contention 0.25, launch 8.5e-6,
    latency 7.0e-6, bandwidth 12000000000>,
  #commir.level<gpu, 4, in_switch_reduction>
] device <achieved [gemm bf16 fraction [(1024, 0.25), (8192, 0.7)] interval 0.1,
                    attention bf16 head_dim 128 causal backward library "fa3" fraction [(4096, 0.5)],
                    gemm f8E4M3FN library "cublas" fraction [(8192, 0.7)]],
          peak {bf16 = 9.89e14, f8E4M3FN = 1.979e15}, power 700, interval 5.0e-2,
          communication_share 0.1, launch 4.0e-6, bandwidth_fraction 0.9, bandwidth 3.35e12,
          reservable 76000000000, memory 80000000000, name "h100-sxm">

// No digit of a figure is lost, whatever its size.
// CHECK: commir.topology @digits levels [#commir.level<gpu, 2, bandwidth 450123456789, latency 0.3333333333333333, launch 1.0000000000000003e-05, curve all_to_all [(12345678901234568, 1.7976931348623157e+308)]>]
commir.topology @digits levels [#commir.level<gpu, 2, bandwidth 450123456789,
  latency 0.33333333333333331, launch 1.0000000000000003e-05,
  curve all_to_all [(12345678901234568, 1.7976931348623157e+308)]>]

// A domain of which nothing is said stays so; one whose ranks have a port each is told
// from it.
// CHECK: commir.topology @domains levels [#commir.level<node, 2, domain "port">, #commir.level<gpu, 4, domain "nvlink", shared_by 1>]
commir.topology @domains levels [#commir.level<node, 2, domain "port">,
                                 #commir.level<gpu, 4, domain "nvlink", shared_by 1>]

}
