module @topos {
  func.func @main(%arg0: tensor<2x2x2x2xbf16>, %arg1: tensor<2xbf16>, %arg2: tensor<1x2x5x5xbf16>) -> (tensor<bf16>, tensor<1x2x5x5xbf16>, tensor<2x2x2x2xbf16>) {
    %v7 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<2x2x2x2xbf16>) -> tensor<2x2x2x2xbf16>
    %v8 = stablehlo.reshape %v7 : (tensor<2x2x2x2xbf16>) -> tensor<8x2xbf16>
    %v9_kernel = stablehlo.reshape %v8 : (tensor<8x2xbf16>) -> tensor<2x2x2x2xbf16>
    %v9_accumulated = stablehlo.convolution(%arg2, %v9_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5xbf16>, tensor<2x2x2x2xbf16>) -> tensor<1x4x4x2xf32>
    %v9_windows = stablehlo.convert %v9_accumulated : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xbf16>
    %v9 = stablehlo.reshape %v9_windows : (tensor<1x4x4x2xbf16>) -> tensor<16x2xbf16>
    %v10 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xbf16>) -> tensor<16x2xbf16>
    %v11 = stablehlo.add %v9, %v10 : tensor<16x2xbf16>
    %v12 = stablehlo.reshape %v11 : (tensor<16x2xbf16>) -> tensor<1x4x4x2xbf16>
    %v13 = stablehlo.transpose %v12, dims = [0, 3, 1, 2] : (tensor<1x4x4x2xbf16>) -> tensor<1x2x4x4xbf16>
    %v14 = stablehlo.constant dense<0.0> : tensor<1x2x4x4xbf16>
    %v15 = stablehlo.maximum %v13, %v14 : tensor<1x2x4x4xbf16>
    %v27_seed = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %v27 = "stablehlo.reduce_window"(%v15, %v27_seed) ({
    ^bb0(%v27_left: tensor<bf16>, %v27_right: tensor<bf16>):
      %v27_larger = stablehlo.maximum %v27_left, %v27_right : tensor<bf16>
      stablehlo.return %v27_larger : tensor<bf16>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<1x2x4x4xbf16>, tensor<bf16>) -> tensor<1x2x2x2xbf16>
    %v28_promoted = stablehlo.convert %v27 : (tensor<1x2x2x2xbf16>) -> tensor<1x2x2x2xf32>
    %v28_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v28_accumulated = stablehlo.reduce(%v28_promoted init: %v28_seed) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<f32>
    %v28 = stablehlo.convert %v28_accumulated : (tensor<f32>) -> tensor<bf16>
    %v29 = stablehlo.constant dense<1.0> : tensor<bf16>
    %v30 = stablehlo.broadcast_in_dim %v29, dims = [] : (tensor<bf16>) -> tensor<1x2x2x2xbf16>
    %v31 = stablehlo.constant dense<0.0> : tensor<1x2x2x2xbf16>
    %v32 = stablehlo.add %v31, %v30 : tensor<1x2x2x2xbf16>
    %v33 = stablehlo.reshape %v32 : (tensor<1x2x2x2xbf16>) -> tensor<1x2x2x2x1xbf16>
    %v34 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xbf16>
    %v35 = stablehlo.add %v34, %v33 : tensor<1x2x2x2x1xbf16>
    %v81_cotangent = stablehlo.reshape %v35 : (tensor<1x2x2x2x1xbf16>) -> tensor<1x2x2x2xbf16>
    %v81_cotangent_promoted = stablehlo.convert %v81_cotangent : (tensor<1x2x2x2xbf16>) -> tensor<1x2x2x2xf32>
    %v81_source_promoted = stablehlo.convert %v15 : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
    %v81_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v81_accumulated = "stablehlo.select_and_scatter"(%v81_source_promoted, %v81_cotangent_promoted, %v81_zero) ({
    ^bb0(%v81_left: tensor<f32>, %v81_right: tensor<f32>):
      %v81_wins = stablehlo.compare GE, %v81_left, %v81_right, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v81_wins : tensor<i1>
    }, {
    ^bb0(%v81_total: tensor<f32>, %v81_share: tensor<f32>):
      %v81_sum = stablehlo.add %v81_total, %v81_share : tensor<f32>
      stablehlo.return %v81_sum : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
    %v81 = stablehlo.convert %v81_accumulated : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
    %v82 = stablehlo.constant dense<0.0> : tensor<1x2x4x4xbf16>
    %v83 = stablehlo.add %v82, %v81 : tensor<1x2x4x4xbf16>
    %v84_mask = stablehlo.compare GE, %v14, %v13, FLOAT : (tensor<1x2x4x4xbf16>, tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xi1>
    %v84_ones = stablehlo.constant dense<1.0> : tensor<1x2x4x4xbf16>
    %v84_zeros = stablehlo.constant dense<0.0> : tensor<1x2x4x4xbf16>
    %v84 = stablehlo.select %v84_mask, %v84_ones, %v84_zeros : tensor<1x2x4x4xi1>, tensor<1x2x4x4xbf16>
    %v86 = stablehlo.constant dense<1.0> : tensor<1x2x4x4xbf16>
    %v87 = stablehlo.subtract %v86, %v84 : tensor<1x2x4x4xbf16>
    %v88 = stablehlo.multiply %v83, %v87 : tensor<1x2x4x4xbf16>
    %v89 = stablehlo.constant dense<0.0> : tensor<1x2x4x4xbf16>
    %v90 = stablehlo.add %v89, %v88 : tensor<1x2x4x4xbf16>
    %v93 = stablehlo.transpose %v90, dims = [0, 2, 3, 1] : (tensor<1x2x4x4xbf16>) -> tensor<1x4x4x2xbf16>
    %v94 = stablehlo.constant dense<0.0> : tensor<1x4x4x2xbf16>
    %v95 = stablehlo.add %v94, %v93 : tensor<1x4x4x2xbf16>
    %v96 = stablehlo.reshape %v95 : (tensor<1x4x4x2xbf16>) -> tensor<16x2xbf16>
    %v97 = stablehlo.constant dense<0.0> : tensor<16x2xbf16>
    %v98 = stablehlo.add %v97, %v96 : tensor<16x2xbf16>
    %v99 = stablehlo.constant dense<0.0> : tensor<16x2xbf16>
    %v100 = stablehlo.add %v99, %v98 : tensor<16x2xbf16>
    %v109_cotangent = stablehlo.reshape %v100 : (tensor<16x2xbf16>) -> tensor<1x4x4x2xbf16>
    %v109_accumulated = stablehlo.convolution(%arg2, %v109_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5xbf16>, tensor<1x4x4x2xbf16>) -> tensor<2x2x2x2xf32>
    %v109_kernel = stablehlo.convert %v109_accumulated : (tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xbf16>
    %v109 = stablehlo.reshape %v109_kernel : (tensor<2x2x2x2xbf16>) -> tensor<8x2xbf16>
    %v112 = stablehlo.constant dense<0.0> : tensor<8x2xbf16>
    %v113 = stablehlo.add %v112, %v109 : tensor<8x2xbf16>
    %v114 = stablehlo.reshape %v113 : (tensor<8x2xbf16>) -> tensor<2x2x2x2xbf16>
    %v115 = stablehlo.constant dense<0.0> : tensor<2x2x2x2xbf16>
    %v116 = stablehlo.add %v115, %v114 : tensor<2x2x2x2xbf16>
    %v117 = stablehlo.transpose %v116, dims = [3, 0, 1, 2] : (tensor<2x2x2x2xbf16>) -> tensor<2x2x2x2xbf16>
    %v118 = stablehlo.constant dense<0.0> : tensor<2x2x2x2xbf16>
    %v119 = stablehlo.add %v118, %v117 : tensor<2x2x2x2xbf16>
    %v129_cotangent = stablehlo.reshape %v100 : (tensor<16x2xbf16>) -> tensor<1x4x4x2xbf16>
    %v129_kernel = stablehlo.reshape %v8 : (tensor<8x2xbf16>) -> tensor<2x2x2x2xbf16>
    %v129_reversed = stablehlo.reverse %v129_kernel, dims = [1, 2] : tensor<2x2x2x2xbf16>
    %v129_accumulated = stablehlo.convolution(%v129_cotangent, %v129_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xbf16>, tensor<2x2x2x2xbf16>) -> tensor<1x2x5x5xf32>
    %v129 = stablehlo.convert %v129_accumulated : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xbf16>
    %v130 = stablehlo.constant dense<0.0> : tensor<1x2x5x5xbf16>
    %v131 = stablehlo.add %v130, %v129 : tensor<1x2x5x5xbf16>
    return %v28, %v131, %v119 : tensor<bf16>, tensor<1x2x5x5xbf16>, tensor<2x2x2x2xbf16>
  }
}
