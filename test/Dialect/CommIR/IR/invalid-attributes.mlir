// Attributes that are malformed, and those of commir that stand on other ops.
// RUN: mercury-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{level name 'a b' is not a letter or underscore followed by letters, digits and underscores}}
func.func private @axis_c1_level_name_no_word(tensor<8xf32> {commir.placement = #commir.placement<[{"a b"}]>})

// -----

// expected-error @below {{level name 'g.pu' is not a letter or underscore}}
func.func private @axis_c1_level_name_with_dot() attributes {a = #commir.axis<g.pu>}

// -----

// expected-error @below {{level name '' is not a letter or underscore}}
func.func private @axis_c1_level_name_empty() attributes {a = #commir.axis<"">}

// -----

// expected-error @below {{factors of axis 'gpu' must be positive and at most 1048576, got (0)2}}
func.func private @axis_c2_outer_factor_not_positive() attributes {a = #commir.axis<gpu:(0)2>}

// -----

// expected-error @below {{factors of axis 'gpu' must be positive, got (1)0}}
func.func private @axis_c2_size_not_positive() attributes {a = #commir.axis<gpu:(1)0>}

// -----

// expected-error @below {{factors of axis 'gpu' must be positive and at most 1048576, got (4611686018427387904)4}}
func.func private @axis_c2_factor_too_large() attributes {a = #commir.axis<gpu:(4611686018427387904)4>}

// -----

// expected-error @below {{integer value too large}}
func.func private @axis_c2_factor_no_integer() attributes {a = #commir.axis<gpu:(99999999999999999999)4>}

// -----

// expected-error @below {{factors of axis 'gpu' must be positive and at most 1048576, got (-1)2}}
func.func private @placement_c1_axis_factor_not_positive() attributes {a = #commir.placement<[{gpu:(-1)2}]>}

// -----

// expected-error @below {{axis 'gpu' is used twice}}
func.func private @placement_c2_axis_named_twice() attributes {a = #commir.placement<[{gpu}, {node, gpu}]>}

// -----

// expected-error @below {{expected '{'}}
func.func private @placement_without_braces() attributes {a = #commir.placement<[gpu]>}

// -----

// expected-error @below {{expected '['}}
func.func private @placement_without_brackets() attributes {a = #commir.placement<{gpu}>}

// -----

// expected-error @below {{schedule: expected 'rank', 'time' or '-', got 'ring'}}
func.func private @schedule_c1_unknown_factor() attributes {a = #commir.schedule<"loops [ring gpu] inputs [] results []">}

// -----

// expected-error @below {{schedule: expected 'loops', got the end}}
func.func private @schedule_c1_empty() attributes {a = #commir.schedule<"">}

// -----

// expected-error @below {{schedule: expected 'tile', 'chunks', 'patch', 'ranks' or the end, got 'loops'}}
func.func private @schedule_c1_trailing_text() attributes {a = #commir.schedule<"loops [] inputs [] results [] loops []">}

// -----

// expected-error @below {{expected string}}
func.func private @schedule_without_quotes() attributes {a = #commir.schedule<loops>}

// -----

// expected-error @below {{unknown field 'speed' of a level; known are bandwidth, latency, launch, contention, half_duplex, no_peer_access, in_switch_reduction, domain, shared_by, failure_domain, primitives, curve, interval}}
commir.topology @level_c1_unknown_field levels [#commir.level<gpu, 4, speed 3>]

// -----

// expected-error @below {{'latency' is given twice}}
commir.topology @level_c1_field_given_twice levels [#commir.level<gpu, 4, latency 3, latency 4>]

// -----

// expected-error @below {{figure is not finite}}
commir.topology @level_c1_figure_not_finite levels [#commir.level<gpu, 4, bandwidth 1.0e999>]

// -----

// expected-error @below {{unknown primitive 'put'}}
commir.topology @level_c2_unknown_primitive levels [#commir.level<gpu, 4, primitives [put]>]

// -----

// expected-error @below {{'all_gather' is named twice}}
commir.topology @level_c2_primitive_named_twice levels [#commir.level<gpu, 4, primitives [all_gather, send_recv, all_gather]>]

// -----

// expected-error @below {{unknown field 'cores' of a device; known are name, memory, reservable, bandwidth, bandwidth_fraction, launch, communication_share, interval, power, peak, achieved}}
commir.topology @device_c1_unknown_field levels [#commir.level<gpu, 4>] device <cores 4>

// -----

// expected-error @below {{'memory' is given twice}}
commir.topology @device_c1_field_given_twice levels [#commir.level<gpu, 4>] device <memory 4, memory 4>

// -----

// expected-error @below {{'f32' is given twice}}
commir.topology @device_c1_type_given_twice levels [#commir.level<gpu, 4>] device <peak {f32 = 1, f32 = 2}>

// -----

// expected-error @below {{a hop needs at least one axis}}
func.func private @hop_attr_c1_no_axis() attributes {a = #commir.hop<{} by 1>}

// -----

// expected-error @below {{axis 'gpu' is used twice}}
func.func private @hop_attr_c1_axis_named_twice() attributes {a = #commir.hop<{gpu, gpu} by 1>}

// -----

// expected-error @below {{failed to parse CommIR_ReductionKindAttr parameter 'value'}}
// expected-error @below {{expected ::mercury::commir::ReductionKind to be one of: sum, prod, max, min}}
func.func private @reduction_kind_unknown() attributes {a = #commir<reduction_kind mean>}

// -----

// expected-error @below {{'commir.schedule' expects a #commir.schedule, got "loops"}}
func.func private @attr_schedule_is_text() attributes {commir.schedule = "loops"}

// -----

// expected-error @below {{'commir.rows_without_keys' expects a positive integer, on a function, got 0 : i64}}
func.func private @attr_rows_without_keys_is_zero() attributes {commir.rows_without_keys = 0}

// -----

// expected-error @below {{'commir.suggested_schedule' expects the name or the text of a schedule, on a function, got ""}}
func.func private @attr_suggested_schedule_is_empty() attributes {commir.suggested_schedule = ""}

// -----

// expected-error @below {{'commir.placement' expects a #commir.placement, got 1 : i64}}
func.func private @attr_placement_is_integer() attributes {commir.placement = 1}

// -----

// expected-error @below {{'commir.patch' expects the name of a kernel, got ""}}
func.func private @attr_patch_is_empty() attributes {commir.patch = ""}

// -----

// expected-error @below {{'commir.requirements' expects a text, got {}}}
func.func private @attr_requirements_is_dictionary() attributes {commir.requirements = {}}

// -----

// expected-error @below {{'commir.memory_class' expects one of own_shard, travelling, staging, workspace, held_for_others, got "heap"}}
func.func private @attr_memory_class_unknown() attributes {commir.memory_class = "heap"}

// -----

// expected-error @below {{'commir.memory_owner' expects an integer, got "a"}}
func.func private @attr_memory_owner_is_text() attributes {commir.memory_owner = "a"}

// -----

// expected-error @below {{'commir.topology' expects the symbol of a commir.topology, got @f}}
func.func private @attr_topology_names_no_topology() attributes {commir.topology = @f}
func.func private @f()

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
// expected-error @below {{'commir.topology' expects the symbol of a commir.topology, got "t"}}
func.func private @attr_topology_is_text() attributes {commir.topology = "t"}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @attr_concurrent_is_no_list_of_sets(%a: memref<8xf32>) {
  // expected-error @below {{'commir.concurrent' expects an array of sets of axes, on communication, got [#commir.axis<gpu>]}}
  commir.all_reduce sum %a over {gpu} {commir.concurrent = [#commir.axis<gpu>]} : memref<8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @attr_concurrent_axis_not_in_topology(%a: memref<8xf32>) attributes {commir.topology = @t} {
  // expected-error @below {{rack}}
  commir.all_reduce sum %a over {gpu} {commir.concurrent = [[#commir.axis<rack>]]} : memref<8xf32>
  return
}

// -----

// expected-error @below {{'commir.concurrent' expects an array of sets of axes, on communication, got []}}
func.func private @attr_concurrent_on_a_function() attributes {commir.concurrent = []}

// -----

// expected-error @below {{'commir.shedule' is no attribute of commir}}
func.func private @attr_misspelt() attributes {commir.shedule = "loops"}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
// expected-error @below {{'commir.placement' expects a #commir.placement, got "gpu"}}
func.func private @value_placement_is_text(tensor<8xf32> {commir.placement = "gpu"})

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
// expected-error @below {{'commir.placement' stands on a value of type 'index', which has no dimensions}}
func.func private @value_placement_of_index(index {commir.placement = #commir.placement<[]>})

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
// expected-error @below {{placement [{gpu}] has 1 dimensions, its value of type 'tensor<8x8xf32>' has 2}}
func.func private @value_placement_rank(tensor<8x8xf32> {commir.placement = #commir.placement<[{gpu}]>})

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
// expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
func.func private @value_placement_axis_not_in_topology(tensor<8xf32> {commir.placement = #commir.placement<[{tpu}]>})

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
// expected-error @below {{axis 'gpu:(1)2' is used twice (it overlaps 'gpu')}}
func.func private @value_placement_of_result_axis_used_twice() -> (tensor<8x8xf32> {commir.placement = #commir.placement<[{gpu}, {gpu:(1)2}]>})

// -----

// expected-error @below {{'commir.global_type' expects a type, got "tensor"}}
func.func private @value_global_type_is_text(tensor<8xf32> {commir.global_type = "tensor"})

// -----

// expected-error @below {{'commir.shard' is no attribute of arguments and results}}
func.func private @value_attr_misspelt(tensor<8xf32> {commir.shard = "gpu"})

// -----

// expected-error @below {{'commir.fingerprint' expects a text, got 1 : i64}}
func.func private @attr_fingerprint_is_integer() attributes {commir.fingerprint = 1}

// -----

// expected-error @below {{'commir.chunks' expects a positive integer, got 0 : i64}}
func.func private @attr_chunks_is_zero() attributes {commir.chunks = 0}

// -----

// expected-error @below {{'commir.chunks' expects a positive integer, got "two"}}
func.func private @attr_chunks_is_text() attributes {commir.chunks = "two"}

// -----

// expected-error @below {{expected a figure, got "fast"}}
commir.topology @level_c1_figure_is_text levels [#commir.level<gpu, 4, bandwidth "fast">]

// -----

// expected-error @below {{the element type has no name}}
commir.topology @device_c1_type_without_name levels [#commir.level<gpu, 4>] device <peak {"" = 1}>

// -----

func.func @attr_tile_of_two_loops(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'commir.tile' expects a size for each loop of a distributable op, none negative, got array<i64: 4, 4>}}
  %0 = linalg.matmul {commir.tile = array<i64: 4, 4>} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @attr_tile_negative(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'commir.tile' expects a size for each loop of a distributable op, none negative, got array<i64: 4, -4>}}
  %0 = linalg.exp {commir.tile = array<i64: 4, -4>} ins(%a : tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// expected-error @below {{'commir.tile' expects a size for each loop of a distributable op, none negative, got array<i64: 4>}}
func.func private @attr_tile_on_a_function() attributes {commir.tile = array<i64: 4>}
