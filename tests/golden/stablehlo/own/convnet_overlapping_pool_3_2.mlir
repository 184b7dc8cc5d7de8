module @topos {
  func.func @main(%arg0: tensor<3x2x3x2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x2x10x9xf32>) -> (tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>) {
    %v9 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<3x2x3x2xf32>) -> tensor<2x3x2x3xf32>
    %v10 = stablehlo.reshape %v9 : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v11_kernel = stablehlo.reshape %v10 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v11_windows = stablehlo.convolution(%arg2, %v11_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x3x2x3xf32>) -> tensor<2x10x10x3xf32>
    %v11 = stablehlo.reshape %v11_windows : (tensor<2x10x10x3xf32>) -> tensor<200x3xf32>
    %v12 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<200x3xf32>
    %v13 = stablehlo.add %v11, %v12 : tensor<200x3xf32>
    %v14 = stablehlo.reshape %v13 : (tensor<200x3xf32>) -> tensor<2x10x10x3xf32>
    %v15 = stablehlo.transpose %v14, dims = [0, 3, 1, 2] : (tensor<2x10x10x3xf32>) -> tensor<2x3x10x10xf32>
    %v16 = stablehlo.constant dense<0.0> : tensor<2x3x10x10xf32>
    %v17 = stablehlo.maximum %v15, %v16 : tensor<2x3x10x10xf32>
    %v39_seed = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v39 = "stablehlo.reduce_window"(%v17, %v39_seed) ({
    ^bb0(%v39_left: tensor<f32>, %v39_right: tensor<f32>):
      %v39_larger = stablehlo.maximum %v39_left, %v39_right : tensor<f32>
      stablehlo.return %v39_larger : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x10x10xf32>, tensor<f32>) -> tensor<2x3x4x4xf32>
    %v40 = stablehlo.multiply %v39, %v39 : tensor<2x3x4x4xf32>
    %v41_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v41 = stablehlo.reduce(%v40 init: %v41_seed) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x4x4xf32>, tensor<f32>) -> tensor<f32>
    %v42 = stablehlo.constant dense<1.0> : tensor<f32>
    %v43 = stablehlo.broadcast_in_dim %v42, dims = [] : (tensor<f32>) -> tensor<2x3x4x4xf32>
    %v44 = stablehlo.constant dense<0.0> : tensor<2x3x4x4xf32>
    %v45 = stablehlo.add %v44, %v43 : tensor<2x3x4x4xf32>
    %v46 = stablehlo.multiply %v45, %v39 : tensor<2x3x4x4xf32>
    %v47 = stablehlo.multiply %v45, %v39 : tensor<2x3x4x4xf32>
    %v48 = stablehlo.constant dense<0.0> : tensor<2x3x4x4xf32>
    %v49 = stablehlo.add %v48, %v46 : tensor<2x3x4x4xf32>
    %v50 = stablehlo.add %v49, %v47 : tensor<2x3x4x4xf32>
    %v51 = stablehlo.reshape %v50 : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4x1xf32>
    %v52 = stablehlo.constant dense<0.0> : tensor<2x3x4x4x1xf32>
    %v53 = stablehlo.add %v52, %v51 : tensor<2x3x4x4x1xf32>
    %v154_cotangent = stablehlo.reshape %v53 : (tensor<2x3x4x4x1xf32>) -> tensor<2x3x4x4xf32>
    %v154_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v154 = "stablehlo.select_and_scatter"(%v17, %v154_cotangent, %v154_zero) ({
    ^bb0(%v154_left: tensor<f32>, %v154_right: tensor<f32>):
      %v154_wins = stablehlo.compare GE, %v154_left, %v154_right, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v154_wins : tensor<i1>
    }, {
    ^bb0(%v154_total: tensor<f32>, %v154_share: tensor<f32>):
      %v154_sum = stablehlo.add %v154_total, %v154_share : tensor<f32>
      stablehlo.return %v154_sum : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x10x10xf32>, tensor<2x3x4x4xf32>, tensor<f32>) -> tensor<2x3x10x10xf32>
    %v155 = stablehlo.constant dense<0.0> : tensor<2x3x10x10xf32>
    %v156 = stablehlo.add %v155, %v154 : tensor<2x3x10x10xf32>
    %v157_mask = stablehlo.compare GE, %v16, %v15, FLOAT : (tensor<2x3x10x10xf32>, tensor<2x3x10x10xf32>) -> tensor<2x3x10x10xi1>
    %v157_ones = stablehlo.constant dense<1.0> : tensor<2x3x10x10xf32>
    %v157_zeros = stablehlo.constant dense<0.0> : tensor<2x3x10x10xf32>
    %v157 = stablehlo.select %v157_mask, %v157_ones, %v157_zeros : tensor<2x3x10x10xi1>, tensor<2x3x10x10xf32>
    %v159 = stablehlo.constant dense<1.0> : tensor<2x3x10x10xf32>
    %v160 = stablehlo.subtract %v159, %v157 : tensor<2x3x10x10xf32>
    %v161 = stablehlo.multiply %v156, %v160 : tensor<2x3x10x10xf32>
    %v162 = stablehlo.constant dense<0.0> : tensor<2x3x10x10xf32>
    %v163 = stablehlo.add %v162, %v161 : tensor<2x3x10x10xf32>
    %v166 = stablehlo.transpose %v163, dims = [0, 2, 3, 1] : (tensor<2x3x10x10xf32>) -> tensor<2x10x10x3xf32>
    %v167 = stablehlo.constant dense<0.0> : tensor<2x10x10x3xf32>
    %v168 = stablehlo.add %v167, %v166 : tensor<2x10x10x3xf32>
    %v169 = stablehlo.reshape %v168 : (tensor<2x10x10x3xf32>) -> tensor<200x3xf32>
    %v170 = stablehlo.constant dense<0.0> : tensor<200x3xf32>
    %v171 = stablehlo.add %v170, %v169 : tensor<200x3xf32>
    %v172 = stablehlo.constant dense<0.0> : tensor<200x3xf32>
    %v173 = stablehlo.add %v172, %v171 : tensor<200x3xf32>
    %v174 = stablehlo.constant dense<0.0> : tensor<200x3xf32>
    %v175 = stablehlo.add %v174, %v171 : tensor<200x3xf32>
    %v176_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v176 = stablehlo.reduce(%v175 init: %v176_seed) applies stablehlo.add across dimensions = [0] : (tensor<200x3xf32>, tensor<f32>) -> tensor<3xf32>
    %v177 = stablehlo.constant dense<0.0> : tensor<3xf32>
    %v178 = stablehlo.add %v177, %v176 : tensor<3xf32>
    %v182_cotangent = stablehlo.reshape %v173 : (tensor<200x3xf32>) -> tensor<2x10x10x3xf32>
    %v182_kernel = stablehlo.convolution(%arg2, %v182_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x10x10x3xf32>) -> tensor<2x3x2x3xf32>
    %v182 = stablehlo.reshape %v182_kernel : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v185 = stablehlo.constant dense<0.0> : tensor<12x3xf32>
    %v186 = stablehlo.add %v185, %v182 : tensor<12x3xf32>
    %v187 = stablehlo.reshape %v186 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v188 = stablehlo.constant dense<0.0> : tensor<2x3x2x3xf32>
    %v189 = stablehlo.add %v188, %v187 : tensor<2x3x2x3xf32>
    %v190 = stablehlo.transpose %v189, dims = [3, 0, 1, 2] : (tensor<2x3x2x3xf32>) -> tensor<3x2x3x2xf32>
    %v191 = stablehlo.constant dense<0.0> : tensor<3x2x3x2xf32>
    %v192 = stablehlo.add %v191, %v190 : tensor<3x2x3x2xf32>
    %v202_cotangent = stablehlo.reshape %v173 : (tensor<200x3xf32>) -> tensor<2x10x10x3xf32>
    %v202_kernel = stablehlo.reshape %v10 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v202_reversed = stablehlo.reverse %v202_kernel, dims = [1, 2] : tensor<2x3x2x3xf32>
    %v202 = stablehlo.convolution(%v202_cotangent, %v202_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x10x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x2x12x11xf32>
    %v203 = stablehlo.constant dense<0.0> : tensor<2x2x12x11xf32>
    %v204 = stablehlo.add %v203, %v202 : tensor<2x2x12x11xf32>
    %v205 = stablehlo.slice %v204 [0:2, 0:2, 0:12, 1:10] : (tensor<2x2x12x11xf32>) -> tensor<2x2x12x9xf32>
    %v206 = stablehlo.constant dense<0.0> : tensor<2x2x12x9xf32>
    %v207 = stablehlo.add %v206, %v205 : tensor<2x2x12x9xf32>
    %v208 = stablehlo.slice %v207 [0:2, 0:2, 1:11, 0:9] : (tensor<2x2x12x9xf32>) -> tensor<2x2x10x9xf32>
    %v209 = stablehlo.constant dense<0.0> : tensor<2x2x10x9xf32>
    %v210 = stablehlo.add %v209, %v208 : tensor<2x2x10x9xf32>
    return %v41, %v192, %v178, %v210 : tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>
  }
}
