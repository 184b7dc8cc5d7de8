module @topos {
  func.func @main(%arg0: tensor<3x2x3x2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x2x10x9xf32>) -> (tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>) {
    %v9 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<3x2x3x2xf32>) -> tensor<2x3x2x3xf32>
    %v10 = stablehlo.reshape %v9 : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v11_kernel = stablehlo.reshape %v10 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v11_windows = stablehlo.convolution(%arg2, %v11_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x3x2x3xf32>) -> tensor<2x4x5x3xf32>
    %v11 = stablehlo.reshape %v11_windows : (tensor<2x4x5x3xf32>) -> tensor<40x3xf32>
    %v12 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<40x3xf32>
    %v13 = stablehlo.add %v11, %v12 : tensor<40x3xf32>
    %v14 = stablehlo.reshape %v13 : (tensor<40x3xf32>) -> tensor<2x4x5x3xf32>
    %v15 = stablehlo.transpose %v14, dims = [0, 3, 1, 2] : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
    %v16 = stablehlo.constant dense<0.0> : tensor<2x3x4x5xf32>
    %v17 = stablehlo.maximum %v15, %v16 : tensor<2x3x4x5xf32>
    %v29_seed = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v29 = "stablehlo.reduce_window"(%v17, %v29_seed) ({
    ^bb0(%v29_left: tensor<f32>, %v29_right: tensor<f32>):
      %v29_larger = stablehlo.maximum %v29_left, %v29_right : tensor<f32>
      stablehlo.return %v29_larger : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x4x5xf32>, tensor<f32>) -> tensor<2x3x2x2xf32>
    %v30 = stablehlo.multiply %v29, %v29 : tensor<2x3x2x2xf32>
    %v31_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v31 = stablehlo.reduce(%v30 init: %v31_seed) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x2x2xf32>, tensor<f32>) -> tensor<f32>
    %v32 = stablehlo.constant dense<1.0> : tensor<f32>
    %v33 = stablehlo.broadcast_in_dim %v32, dims = [] : (tensor<f32>) -> tensor<2x3x2x2xf32>
    %v34 = stablehlo.constant dense<0.0> : tensor<2x3x2x2xf32>
    %v35 = stablehlo.add %v34, %v33 : tensor<2x3x2x2xf32>
    %v36 = stablehlo.multiply %v35, %v29 : tensor<2x3x2x2xf32>
    %v37 = stablehlo.multiply %v35, %v29 : tensor<2x3x2x2xf32>
    %v38 = stablehlo.constant dense<0.0> : tensor<2x3x2x2xf32>
    %v39 = stablehlo.add %v38, %v36 : tensor<2x3x2x2xf32>
    %v40 = stablehlo.add %v39, %v37 : tensor<2x3x2x2xf32>
    %v41 = stablehlo.reshape %v40 : (tensor<2x3x2x2xf32>) -> tensor<2x3x2x2x1xf32>
    %v42 = stablehlo.constant dense<0.0> : tensor<2x3x2x2x1xf32>
    %v43 = stablehlo.add %v42, %v41 : tensor<2x3x2x2x1xf32>
    %v89_cotangent = stablehlo.reshape %v43 : (tensor<2x3x2x2x1xf32>) -> tensor<2x3x2x2xf32>
    %v89_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v89 = "stablehlo.select_and_scatter"(%v17, %v89_cotangent, %v89_zero) ({
    ^bb0(%v89_left: tensor<f32>, %v89_right: tensor<f32>):
      %v89_wins = stablehlo.compare GE, %v89_left, %v89_right, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v89_wins : tensor<i1>
    }, {
    ^bb0(%v89_total: tensor<f32>, %v89_share: tensor<f32>):
      %v89_sum = stablehlo.add %v89_total, %v89_share : tensor<f32>
      stablehlo.return %v89_sum : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x4x5xf32>, tensor<2x3x2x2xf32>, tensor<f32>) -> tensor<2x3x4x5xf32>
    %v90 = stablehlo.constant dense<0.0> : tensor<2x3x4x5xf32>
    %v91 = stablehlo.add %v90, %v89 : tensor<2x3x4x5xf32>
    %v92_mask = stablehlo.compare GE, %v16, %v15, FLOAT : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xi1>
    %v92_ones = stablehlo.constant dense<1.0> : tensor<2x3x4x5xf32>
    %v92_zeros = stablehlo.constant dense<0.0> : tensor<2x3x4x5xf32>
    %v92 = stablehlo.select %v92_mask, %v92_ones, %v92_zeros : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
    %v94 = stablehlo.constant dense<1.0> : tensor<2x3x4x5xf32>
    %v95 = stablehlo.subtract %v94, %v92 : tensor<2x3x4x5xf32>
    %v96 = stablehlo.multiply %v91, %v95 : tensor<2x3x4x5xf32>
    %v97 = stablehlo.constant dense<0.0> : tensor<2x3x4x5xf32>
    %v98 = stablehlo.add %v97, %v96 : tensor<2x3x4x5xf32>
    %v101 = stablehlo.transpose %v98, dims = [0, 2, 3, 1] : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
    %v102 = stablehlo.constant dense<0.0> : tensor<2x4x5x3xf32>
    %v103 = stablehlo.add %v102, %v101 : tensor<2x4x5x3xf32>
    %v104 = stablehlo.reshape %v103 : (tensor<2x4x5x3xf32>) -> tensor<40x3xf32>
    %v105 = stablehlo.constant dense<0.0> : tensor<40x3xf32>
    %v106 = stablehlo.add %v105, %v104 : tensor<40x3xf32>
    %v107 = stablehlo.constant dense<0.0> : tensor<40x3xf32>
    %v108 = stablehlo.add %v107, %v106 : tensor<40x3xf32>
    %v109 = stablehlo.constant dense<0.0> : tensor<40x3xf32>
    %v110 = stablehlo.add %v109, %v106 : tensor<40x3xf32>
    %v111_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v111 = stablehlo.reduce(%v110 init: %v111_seed) applies stablehlo.add across dimensions = [0] : (tensor<40x3xf32>, tensor<f32>) -> tensor<3xf32>
    %v112 = stablehlo.constant dense<0.0> : tensor<3xf32>
    %v113 = stablehlo.add %v112, %v111 : tensor<3xf32>
    %v117_cotangent = stablehlo.reshape %v108 : (tensor<40x3xf32>) -> tensor<2x4x5x3xf32>
    %v117_kernel = stablehlo.convolution(%arg2, %v117_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 0], [1, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x4x5x3xf32>) -> tensor<2x3x2x3xf32>
    %v117 = stablehlo.reshape %v117_kernel : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v120 = stablehlo.constant dense<0.0> : tensor<12x3xf32>
    %v121 = stablehlo.add %v120, %v117 : tensor<12x3xf32>
    %v122 = stablehlo.reshape %v121 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v123 = stablehlo.constant dense<0.0> : tensor<2x3x2x3xf32>
    %v124 = stablehlo.add %v123, %v122 : tensor<2x3x2x3xf32>
    %v125 = stablehlo.transpose %v124, dims = [3, 0, 1, 2] : (tensor<2x3x2x3xf32>) -> tensor<3x2x3x2xf32>
    %v126 = stablehlo.constant dense<0.0> : tensor<3x2x3x2xf32>
    %v127 = stablehlo.add %v126, %v125 : tensor<3x2x3x2xf32>
    %v137_cotangent = stablehlo.reshape %v108 : (tensor<40x3xf32>) -> tensor<2x4x5x3xf32>
    %v137_kernel = stablehlo.reshape %v10 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v137_reversed = stablehlo.reverse %v137_kernel, dims = [1, 2] : tensor<2x3x2x3xf32>
    %v137 = stablehlo.convolution(%v137_cotangent, %v137_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[4, 5], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x5x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x2x12x11xf32>
    %v138 = stablehlo.constant dense<0.0> : tensor<2x2x12x11xf32>
    %v139 = stablehlo.add %v138, %v137 : tensor<2x2x12x11xf32>
    %v140 = stablehlo.slice %v139 [0:2, 0:2, 0:12, 1:10] : (tensor<2x2x12x11xf32>) -> tensor<2x2x12x9xf32>
    %v141 = stablehlo.constant dense<0.0> : tensor<2x2x12x9xf32>
    %v142 = stablehlo.add %v141, %v140 : tensor<2x2x12x9xf32>
    %v143 = stablehlo.slice %v142 [0:2, 0:2, 1:11, 0:9] : (tensor<2x2x12x9xf32>) -> tensor<2x2x10x9xf32>
    %v144 = stablehlo.constant dense<0.0> : tensor<2x2x10x9xf32>
    %v145 = stablehlo.add %v144, %v143 : tensor<2x2x10x9xf32>
    return %v31, %v127, %v113, %v145 : tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>
  }
}
