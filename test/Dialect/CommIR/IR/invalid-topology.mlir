// What a topology may not say; each case is named by its clause.
// RUN: mercury-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'launch' is given twice}}
commir.topology @level_c1_launch_given_twice levels [#commir.level<gpu, 4, launch 3, launch 4>]

// -----

// expected-error @below {{shared_by is at least 1, got 0}}
commir.topology @level_c1_shared_by_zero levels [#commir.level<gpu, 4, shared_by 0>]

// -----

// expected-error @below {{unknown primitive 'put'}}
commir.topology @level_c2_curve_of_unknown_primitive levels [#commir.level<gpu, 4, curve put [(1, 2)]>]

// -----

// expected-error @below {{'curve all_reduce' is given twice}}
commir.topology @level_c2_two_curves levels [#commir.level<gpu, 4, curve all_reduce [(1, 2)], curve all_reduce [(1, 2)]>]

// -----

// expected-error @below {{sizes of 'curve' are positive and increase, got 65536 after 65536}}
commir.topology @level_c3_sizes_do_not_increase levels [#commir.level<gpu, 4, curve all_reduce [(65536, 1), (65536, 2)]>]

// -----

// expected-error @below {{sizes of 'interval' are positive and increase, got 0 after 0}}
commir.topology @level_c3_size_zero levels [#commir.level<gpu, 4, interval [(0, 1)]>]

// -----

// expected-error @below {{figures of 'curve' are positive, got -1.5 at size 4096}}
commir.topology @level_c3_figure_negative levels [#commir.level<gpu, 4, curve all_reduce [(4096, -1.5)]>]

// -----

// expected-error @below {{'curve' has no point}}
commir.topology @level_c3_no_point levels [#commir.level<gpu, 4, curve all_reduce []>]

// -----

// expected-error @below {{figure is not finite}}
commir.topology @level_c1_size_not_finite levels [#commir.level<gpu, 4, curve all_reduce [(1.0e999, 1)]>]

// -----

// expected-error @below {{expected 'gemm' or 'attention', got 'softmax'}}
commir.topology @device_c1_unknown_work levels [#commir.level<gpu, 4>] device <achieved [softmax bf16 fraction [(1, 1)]]>

// -----

// expected-error @below {{sizes of 'achieved' are positive and increase, got 512 after 1024}}
commir.topology @device_c2_sizes_do_not_increase levels [#commir.level<gpu, 4>] device <peak {bf16 = 1}, achieved [gemm bf16 fraction [(1024, 0.5), (512, 0.5)]]>

// -----

// expected-error @below {{level 'gpu' has launch -1.000000, expected a finite figure that is not negative}}
commir.topology @topology_c3_launch_negative levels [#commir.level<gpu, 4, launch -1>]

// -----

// expected-error @below {{level 'gpu' has contention 1.000000, expected at least 0 and less than 1}}
commir.topology @topology_c3_contention levels [#commir.level<gpu, 4, contention 1>]

// -----

// expected-error @below {{device has bandwidth_fraction 1.500000, expected at least 0 and at most 1}}
commir.topology @topology_c3_fraction levels [#commir.level<gpu, 4>] device <bandwidth_fraction 1.5>

// -----

// expected-error @below {{device has communication_share 1.000000, expected at least 0 and less than 1}}
commir.topology @topology_c3_share levels [#commir.level<gpu, 4>] device <communication_share 1>

// -----

// expected-error @below {{device has power -700.000000, expected a finite figure that is not negative}}
commir.topology @topology_c3_power levels [#commir.level<gpu, 4>] device <power -700>

// -----

// expected-error @below {{device has an achieved rate of gemm bf16 with fraction 1.250000 at size 1024.000000, expected at most 1 of the peak}}
commir.topology @topology_c3_achieved_above_peak levels [#commir.level<gpu, 4>] device <peak {bf16 = 1}, achieved [gemm bf16 fraction [(1024, 1.25)]]>

// -----

// expected-error @below {{level 'node' has shared_by 3, which does not divide its 8 ranks}}
commir.topology @topology_c4_shared_by_does_not_divide levels [#commir.level<node, 2, shared_by 3>, #commir.level<gpu, 4>]

// -----

// expected-error @below {{level 'node' has shared_by 4, whose ports cross the 6 ranks of each coordinate}}
commir.topology @topology_c4_ports_cross_nodes levels [#commir.level<node, 2, shared_by 4>, #commir.level<gpu, 6>]

// -----

// expected-error @below {{levels 'node' and 'gpu' of domain 'card' have shared_by 4 and 1}}
commir.topology @topology_c4_domain_disagrees levels [#commir.level<node, 2, domain "card">, #commir.level<gpu, 4, domain "card", shared_by 1>]

// -----

// expected-error @below {{level 'gpu' has a curve of all_reduce, which its primitives do not allow}}
commir.topology @topology_c5_curve_of_forbidden levels [#commir.level<gpu, 4, primitives [send_recv], curve all_reduce [(1, 1)]>]

// -----

// expected-error @below {{level 'gpu' reduces in its switch, but its primitives allow neither all_reduce nor reduce_scatter}}
commir.topology @topology_c5_switch_without_reduction levels [#commir.level<gpu, 4, primitives [send_recv], in_switch_reduction>]

// -----

// expected-error @below {{device has an achieved rate of gemm bf16, but no peak rate for 'bf16'}}
commir.topology @topology_c5_rate_without_peak levels [#commir.level<gpu, 4>] device <achieved [gemm bf16 fraction [(1, 1)]]>

// -----

// expected-error @below {{device has an achieved rate of gemm bf16 'generated[96,0,384]', expected generated[rows,columns,depth] of gemm, generated[rows,keys] of attention, sizes that are positive}}
commir.topology @topology_c5_rate_of_no_blocks levels [#commir.level<gpu, 4>] device <peak {bf16 = 1}, achieved [gemm bf16 library "generated[96,0,384]" fraction [(1, 1)]]>

// -----

// expected-error @below {{device has an achieved rate of attention bf16 'generated[96,64,384]', expected generated[rows,columns,depth] of gemm, generated[rows,keys] of attention, sizes that are positive}}
commir.topology @topology_c5_rate_of_other_blocks levels [#commir.level<gpu, 4>] device <peak {bf16 = 1}, achieved [attention bf16 library "generated[96,64,384]" fraction [(1, 1)]]>

// -----

// expected-error @below {{device has an achieved rate of attention bf16 head_dim 64 causal 'fa3' twice}}
commir.topology @topology_c5_rate_twice levels [#commir.level<gpu, 4>] device <peak {bf16 = 1}, achieved [attention bf16 head_dim 64 causal library "fa3" fraction [(1, 1)], attention bf16 head_dim 64 causal library "fa3" fraction [(2, 1)]]>

// -----

// expected-error @below {{device has an achieved rate of gemm bf16 causal, but head_dim and causal are attention's}}
commir.topology @topology_c5_causal_gemm levels [#commir.level<gpu, 4>] device <peak {bf16 = 1}, achieved [gemm bf16 causal fraction [(1, 1)]]>
