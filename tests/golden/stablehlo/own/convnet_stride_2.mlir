module @topos {
  func.func @main(%arg0: tensor<3x2x3x2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x2x10x9xf32>) -> (tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>) {
    %v7 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<3x2x3x2xf32>) -> tensor<2x3x2x3xf32>
    %v8 = stablehlo.reshape %v7 : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v9_kernel = stablehlo.reshape %v8 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v9_windows = stablehlo.convolution(%arg2, %v9_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x3x2x3xf32>) -> tensor<2x4x4x3xf32>
    %v9 = stablehlo.reshape %v9_windows : (tensor<2x4x4x3xf32>) -> tensor<32x3xf32>
    %v10 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<32x3xf32>
    %v11 = stablehlo.add %v9, %v10 : tensor<32x3xf32>
    %v12 = stablehlo.reshape %v11 : (tensor<32x3xf32>) -> tensor<2x4x4x3xf32>
    %v13 = stablehlo.transpose %v12, dims = [0, 3, 1, 2] : (tensor<2x4x4x3xf32>) -> tensor<2x3x4x4xf32>
    %v14 = stablehlo.constant dense<0.0> : tensor<2x3x4x4xf32>
    %v15 = stablehlo.maximum %v13, %v14 : tensor<2x3x4x4xf32>
    %v27_seed = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v27 = "stablehlo.reduce_window"(%v15, %v27_seed) ({
    ^bb0(%v27_left: tensor<f32>, %v27_right: tensor<f32>):
      %v27_larger = stablehlo.maximum %v27_left, %v27_right : tensor<f32>
      stablehlo.return %v27_larger : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x4x4xf32>, tensor<f32>) -> tensor<2x3x2x2xf32>
    %v28 = stablehlo.multiply %v27, %v27 : tensor<2x3x2x2xf32>
    %v29_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v29 = stablehlo.reduce(%v28 init: %v29_seed) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x2x2xf32>, tensor<f32>) -> tensor<f32>
    %v30 = stablehlo.constant dense<1.0> : tensor<f32>
    %v31 = stablehlo.broadcast_in_dim %v30, dims = [] : (tensor<f32>) -> tensor<2x3x2x2xf32>
    %v32 = stablehlo.constant dense<0.0> : tensor<2x3x2x2xf32>
    %v33 = stablehlo.add %v32, %v31 : tensor<2x3x2x2xf32>
    %v34 = stablehlo.multiply %v33, %v27 : tensor<2x3x2x2xf32>
    %v35 = stablehlo.multiply %v33, %v27 : tensor<2x3x2x2xf32>
    %v36 = stablehlo.constant dense<0.0> : tensor<2x3x2x2xf32>
    %v37 = stablehlo.add %v36, %v34 : tensor<2x3x2x2xf32>
    %v38 = stablehlo.add %v37, %v35 : tensor<2x3x2x2xf32>
    %v39 = stablehlo.reshape %v38 : (tensor<2x3x2x2xf32>) -> tensor<2x3x2x2x1xf32>
    %v40 = stablehlo.constant dense<0.0> : tensor<2x3x2x2x1xf32>
    %v41 = stablehlo.add %v40, %v39 : tensor<2x3x2x2x1xf32>
    %v87_cotangent = stablehlo.reshape %v41 : (tensor<2x3x2x2x1xf32>) -> tensor<2x3x2x2xf32>
    %v87_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v87 = "stablehlo.select_and_scatter"(%v15, %v87_cotangent, %v87_zero) ({
    ^bb0(%v87_left: tensor<f32>, %v87_right: tensor<f32>):
      %v87_wins = stablehlo.compare GE, %v87_left, %v87_right, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v87_wins : tensor<i1>
    }, {
    ^bb0(%v87_total: tensor<f32>, %v87_share: tensor<f32>):
      %v87_sum = stablehlo.add %v87_total, %v87_share : tensor<f32>
      stablehlo.return %v87_sum : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x4x4xf32>, tensor<2x3x2x2xf32>, tensor<f32>) -> tensor<2x3x4x4xf32>
    %v88 = stablehlo.constant dense<0.0> : tensor<2x3x4x4xf32>
    %v89 = stablehlo.add %v88, %v87 : tensor<2x3x4x4xf32>
    %v90_mask = stablehlo.compare GE, %v14, %v13, FLOAT : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xi1>
    %v90_ones = stablehlo.constant dense<1.0> : tensor<2x3x4x4xf32>
    %v90_zeros = stablehlo.constant dense<0.0> : tensor<2x3x4x4xf32>
    %v90 = stablehlo.select %v90_mask, %v90_ones, %v90_zeros : tensor<2x3x4x4xi1>, tensor<2x3x4x4xf32>
    %v92 = stablehlo.constant dense<1.0> : tensor<2x3x4x4xf32>
    %v93 = stablehlo.subtract %v92, %v90 : tensor<2x3x4x4xf32>
    %v94 = stablehlo.multiply %v89, %v93 : tensor<2x3x4x4xf32>
    %v95 = stablehlo.constant dense<0.0> : tensor<2x3x4x4xf32>
    %v96 = stablehlo.add %v95, %v94 : tensor<2x3x4x4xf32>
    %v99 = stablehlo.transpose %v96, dims = [0, 2, 3, 1] : (tensor<2x3x4x4xf32>) -> tensor<2x4x4x3xf32>
    %v100 = stablehlo.constant dense<0.0> : tensor<2x4x4x3xf32>
    %v101 = stablehlo.add %v100, %v99 : tensor<2x4x4x3xf32>
    %v102 = stablehlo.reshape %v101 : (tensor<2x4x4x3xf32>) -> tensor<32x3xf32>
    %v103 = stablehlo.constant dense<0.0> : tensor<32x3xf32>
    %v104 = stablehlo.add %v103, %v102 : tensor<32x3xf32>
    %v105 = stablehlo.constant dense<0.0> : tensor<32x3xf32>
    %v106 = stablehlo.add %v105, %v104 : tensor<32x3xf32>
    %v107 = stablehlo.constant dense<0.0> : tensor<32x3xf32>
    %v108 = stablehlo.add %v107, %v104 : tensor<32x3xf32>
    %v109_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v109 = stablehlo.reduce(%v108 init: %v109_seed) applies stablehlo.add across dimensions = [0] : (tensor<32x3xf32>, tensor<f32>) -> tensor<3xf32>
    %v110 = stablehlo.constant dense<0.0> : tensor<3xf32>
    %v111 = stablehlo.add %v110, %v109 : tensor<3xf32>
    %v115_cotangent = stablehlo.reshape %v106 : (tensor<32x3xf32>) -> tensor<2x4x4x3xf32>
    %v115_kernel = stablehlo.convolution(%arg2, %v115_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, -1], [0, -1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x4x4x3xf32>) -> tensor<2x3x2x3xf32>
    %v115 = stablehlo.reshape %v115_kernel : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v118 = stablehlo.constant dense<0.0> : tensor<12x3xf32>
    %v119 = stablehlo.add %v118, %v115 : tensor<12x3xf32>
    %v120 = stablehlo.reshape %v119 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v121 = stablehlo.constant dense<0.0> : tensor<2x3x2x3xf32>
    %v122 = stablehlo.add %v121, %v120 : tensor<2x3x2x3xf32>
    %v123 = stablehlo.transpose %v122, dims = [3, 0, 1, 2] : (tensor<2x3x2x3xf32>) -> tensor<3x2x3x2xf32>
    %v124 = stablehlo.constant dense<0.0> : tensor<3x2x3x2xf32>
    %v125 = stablehlo.add %v124, %v123 : tensor<3x2x3x2xf32>
    %v135_cotangent = stablehlo.reshape %v106 : (tensor<32x3xf32>) -> tensor<2x4x4x3xf32>
    %v135_kernel = stablehlo.reshape %v8 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v135_reversed = stablehlo.reverse %v135_kernel, dims = [1, 2] : tensor<2x3x2x3xf32>
    %v135 = stablehlo.convolution(%v135_cotangent, %v135_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 3], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x2x10x9xf32>
    %v136 = stablehlo.constant dense<0.0> : tensor<2x2x10x9xf32>
    %v137 = stablehlo.add %v136, %v135 : tensor<2x2x10x9xf32>
    return %v29, %v125, %v111, %v137 : tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>
  }
}
