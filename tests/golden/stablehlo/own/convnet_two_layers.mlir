module @topos {
  func.func @main(%arg0: tensor<3x1x3x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x3x2x3xf32>, %arg3: tensor<2xf32>, %arg4: tensor<2x1x10x9xf32>) -> (tensor<f32>, tensor<3x1x3x3xf32>, tensor<3xf32>, tensor<2x3x2x3xf32>, tensor<2xf32>, tensor<2x1x10x9xf32>) {
    %v11 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<3x1x3x3xf32>) -> tensor<1x3x3x3xf32>
    %v12 = stablehlo.reshape %v11 : (tensor<1x3x3x3xf32>) -> tensor<9x3xf32>
    %v13_kernel = stablehlo.reshape %v12 : (tensor<9x3xf32>) -> tensor<1x3x3x3xf32>
    %v13_windows = stablehlo.convolution(%arg4, %v13_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x10x9xf32>, tensor<1x3x3x3xf32>) -> tensor<2x10x9x3xf32>
    %v13 = stablehlo.reshape %v13_windows : (tensor<2x10x9x3xf32>) -> tensor<180x3xf32>
    %v14 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<180x3xf32>
    %v15 = stablehlo.add %v13, %v14 : tensor<180x3xf32>
    %v16 = stablehlo.reshape %v15 : (tensor<180x3xf32>) -> tensor<2x10x9x3xf32>
    %v17 = stablehlo.transpose %v16, dims = [0, 3, 1, 2] : (tensor<2x10x9x3xf32>) -> tensor<2x3x10x9xf32>
    %v18 = stablehlo.constant dense<0.0> : tensor<2x3x10x9xf32>
    %v19 = stablehlo.maximum %v17, %v18 : tensor<2x3x10x9xf32>
    %v31_seed = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v31 = "stablehlo.reduce_window"(%v19, %v31_seed) ({
    ^bb0(%v31_left: tensor<f32>, %v31_right: tensor<f32>):
      %v31_larger = stablehlo.maximum %v31_left, %v31_right : tensor<f32>
      stablehlo.return %v31_larger : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x10x9xf32>, tensor<f32>) -> tensor<2x3x5x4xf32>
    %v38 = stablehlo.transpose %arg2, dims = [1, 2, 3, 0] : (tensor<2x3x2x3xf32>) -> tensor<3x2x3x2xf32>
    %v39 = stablehlo.reshape %v38 : (tensor<3x2x3x2xf32>) -> tensor<18x2xf32>
    %v40_kernel = stablehlo.reshape %v39 : (tensor<18x2xf32>) -> tensor<3x2x3x2xf32>
    %v40_windows = stablehlo.convolution(%v31, %v40_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x5x4xf32>, tensor<3x2x3x2xf32>) -> tensor<2x3x2x2xf32>
    %v40 = stablehlo.reshape %v40_windows : (tensor<2x3x2x2xf32>) -> tensor<12x2xf32>
    %v41 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<2xf32>) -> tensor<12x2xf32>
    %v42 = stablehlo.add %v40, %v41 : tensor<12x2xf32>
    %v43 = stablehlo.reshape %v42 : (tensor<12x2xf32>) -> tensor<2x3x2x2xf32>
    %v44 = stablehlo.transpose %v43, dims = [0, 3, 1, 2] : (tensor<2x3x2x2xf32>) -> tensor<2x2x3x2xf32>
    %v45 = stablehlo.tanh %v44 : tensor<2x2x3x2xf32>
    %v46 = stablehlo.multiply %v45, %v44 : tensor<2x2x3x2xf32>
    %v47_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v47 = stablehlo.reduce(%v46 init: %v47_seed) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x2x3x2xf32>, tensor<f32>) -> tensor<f32>
    %v48 = stablehlo.constant dense<1.0> : tensor<f32>
    %v49 = stablehlo.broadcast_in_dim %v48, dims = [] : (tensor<f32>) -> tensor<2x2x3x2xf32>
    %v50 = stablehlo.constant dense<0.0> : tensor<2x2x3x2xf32>
    %v51 = stablehlo.add %v50, %v49 : tensor<2x2x3x2xf32>
    %v52 = stablehlo.multiply %v51, %v44 : tensor<2x2x3x2xf32>
    %v53 = stablehlo.multiply %v51, %v45 : tensor<2x2x3x2xf32>
    %v54 = stablehlo.constant dense<0.0> : tensor<2x2x3x2xf32>
    %v55 = stablehlo.add %v54, %v52 : tensor<2x2x3x2xf32>
    %v56 = stablehlo.constant dense<0.0> : tensor<2x2x3x2xf32>
    %v57 = stablehlo.add %v56, %v53 : tensor<2x2x3x2xf32>
    %v58 = stablehlo.constant dense<1.0> : tensor<2x2x3x2xf32>
    %v59 = stablehlo.multiply %v45, %v45 : tensor<2x2x3x2xf32>
    %v60 = stablehlo.subtract %v58, %v59 : tensor<2x2x3x2xf32>
    %v61 = stablehlo.multiply %v55, %v60 : tensor<2x2x3x2xf32>
    %v62 = stablehlo.add %v57, %v61 : tensor<2x2x3x2xf32>
    %v63 = stablehlo.transpose %v62, dims = [0, 2, 3, 1] : (tensor<2x2x3x2xf32>) -> tensor<2x3x2x2xf32>
    %v64 = stablehlo.constant dense<0.0> : tensor<2x3x2x2xf32>
    %v65 = stablehlo.add %v64, %v63 : tensor<2x3x2x2xf32>
    %v66 = stablehlo.reshape %v65 : (tensor<2x3x2x2xf32>) -> tensor<12x2xf32>
    %v67 = stablehlo.constant dense<0.0> : tensor<12x2xf32>
    %v68 = stablehlo.add %v67, %v66 : tensor<12x2xf32>
    %v69 = stablehlo.constant dense<0.0> : tensor<12x2xf32>
    %v70 = stablehlo.add %v69, %v68 : tensor<12x2xf32>
    %v71 = stablehlo.constant dense<0.0> : tensor<12x2xf32>
    %v72 = stablehlo.add %v71, %v68 : tensor<12x2xf32>
    %v73_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v73 = stablehlo.reduce(%v72 init: %v73_seed) applies stablehlo.add across dimensions = [0] : (tensor<12x2xf32>, tensor<f32>) -> tensor<2xf32>
    %v74 = stablehlo.constant dense<0.0> : tensor<2xf32>
    %v75 = stablehlo.add %v74, %v73 : tensor<2xf32>
    %v79_cotangent = stablehlo.reshape %v70 : (tensor<12x2xf32>) -> tensor<2x3x2x2xf32>
    %v79_kernel = stablehlo.convolution(%v31, %v79_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 0], [1, 0]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x5x4xf32>, tensor<2x3x2x2xf32>) -> tensor<3x2x3x2xf32>
    %v79 = stablehlo.reshape %v79_kernel : (tensor<3x2x3x2xf32>) -> tensor<18x2xf32>
    %v82 = stablehlo.constant dense<0.0> : tensor<18x2xf32>
    %v83 = stablehlo.add %v82, %v79 : tensor<18x2xf32>
    %v84 = stablehlo.reshape %v83 : (tensor<18x2xf32>) -> tensor<3x2x3x2xf32>
    %v85 = stablehlo.constant dense<0.0> : tensor<3x2x3x2xf32>
    %v86 = stablehlo.add %v85, %v84 : tensor<3x2x3x2xf32>
    %v87 = stablehlo.transpose %v86, dims = [3, 0, 1, 2] : (tensor<3x2x3x2xf32>) -> tensor<2x3x2x3xf32>
    %v88 = stablehlo.constant dense<0.0> : tensor<2x3x2x3xf32>
    %v89 = stablehlo.add %v88, %v87 : tensor<2x3x2x3xf32>
    %v99_cotangent = stablehlo.reshape %v70 : (tensor<12x2xf32>) -> tensor<2x3x2x2xf32>
    %v99_kernel = stablehlo.reshape %v39 : (tensor<18x2xf32>) -> tensor<3x2x3x2xf32>
    %v99_reversed = stablehlo.reverse %v99_kernel, dims = [1, 2] : tensor<3x2x3x2xf32>
    %v99 = stablehlo.convolution(%v99_cotangent, %v99_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [2, 3]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x2x2xf32>, tensor<3x2x3x2xf32>) -> tensor<2x3x7x6xf32>
    %v100 = stablehlo.constant dense<0.0> : tensor<2x3x7x6xf32>
    %v101 = stablehlo.add %v100, %v99 : tensor<2x3x7x6xf32>
    %v102 = stablehlo.slice %v101 [0:2, 0:3, 0:7, 1:5] : (tensor<2x3x7x6xf32>) -> tensor<2x3x7x4xf32>
    %v103 = stablehlo.constant dense<0.0> : tensor<2x3x7x4xf32>
    %v104 = stablehlo.add %v103, %v102 : tensor<2x3x7x4xf32>
    %v105 = stablehlo.slice %v104 [0:2, 0:3, 1:6, 0:4] : (tensor<2x3x7x4xf32>) -> tensor<2x3x5x4xf32>
    %v106 = stablehlo.constant dense<0.0> : tensor<2x3x5x4xf32>
    %v107 = stablehlo.add %v106, %v105 : tensor<2x3x5x4xf32>
    %v108 = stablehlo.reshape %v107 : (tensor<2x3x5x4xf32>) -> tensor<2x3x5x4x1xf32>
    %v109 = stablehlo.constant dense<0.0> : tensor<2x3x5x4x1xf32>
    %v110 = stablehlo.add %v109, %v108 : tensor<2x3x5x4x1xf32>
    %v156_cotangent = stablehlo.reshape %v110 : (tensor<2x3x5x4x1xf32>) -> tensor<2x3x5x4xf32>
    %v156_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v156 = "stablehlo.select_and_scatter"(%v19, %v156_cotangent, %v156_zero) ({
    ^bb0(%v156_left: tensor<f32>, %v156_right: tensor<f32>):
      %v156_wins = stablehlo.compare GE, %v156_left, %v156_right, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v156_wins : tensor<i1>
    }, {
    ^bb0(%v156_total: tensor<f32>, %v156_share: tensor<f32>):
      %v156_sum = stablehlo.add %v156_total, %v156_share : tensor<f32>
      stablehlo.return %v156_sum : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x10x9xf32>, tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<2x3x10x9xf32>
    %v157 = stablehlo.constant dense<0.0> : tensor<2x3x10x9xf32>
    %v158 = stablehlo.add %v157, %v156 : tensor<2x3x10x9xf32>
    %v159_mask = stablehlo.compare GE, %v18, %v17, FLOAT : (tensor<2x3x10x9xf32>, tensor<2x3x10x9xf32>) -> tensor<2x3x10x9xi1>
    %v159_ones = stablehlo.constant dense<1.0> : tensor<2x3x10x9xf32>
    %v159_zeros = stablehlo.constant dense<0.0> : tensor<2x3x10x9xf32>
    %v159 = stablehlo.select %v159_mask, %v159_ones, %v159_zeros : tensor<2x3x10x9xi1>, tensor<2x3x10x9xf32>
    %v161 = stablehlo.constant dense<1.0> : tensor<2x3x10x9xf32>
    %v162 = stablehlo.subtract %v161, %v159 : tensor<2x3x10x9xf32>
    %v163 = stablehlo.multiply %v158, %v162 : tensor<2x3x10x9xf32>
    %v164 = stablehlo.constant dense<0.0> : tensor<2x3x10x9xf32>
    %v165 = stablehlo.add %v164, %v163 : tensor<2x3x10x9xf32>
    %v168 = stablehlo.transpose %v165, dims = [0, 2, 3, 1] : (tensor<2x3x10x9xf32>) -> tensor<2x10x9x3xf32>
    %v169 = stablehlo.constant dense<0.0> : tensor<2x10x9x3xf32>
    %v170 = stablehlo.add %v169, %v168 : tensor<2x10x9x3xf32>
    %v171 = stablehlo.reshape %v170 : (tensor<2x10x9x3xf32>) -> tensor<180x3xf32>
    %v172 = stablehlo.constant dense<0.0> : tensor<180x3xf32>
    %v173 = stablehlo.add %v172, %v171 : tensor<180x3xf32>
    %v174 = stablehlo.constant dense<0.0> : tensor<180x3xf32>
    %v175 = stablehlo.add %v174, %v173 : tensor<180x3xf32>
    %v176 = stablehlo.constant dense<0.0> : tensor<180x3xf32>
    %v177 = stablehlo.add %v176, %v173 : tensor<180x3xf32>
    %v178_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v178 = stablehlo.reduce(%v177 init: %v178_seed) applies stablehlo.add across dimensions = [0] : (tensor<180x3xf32>, tensor<f32>) -> tensor<3xf32>
    %v179 = stablehlo.constant dense<0.0> : tensor<3xf32>
    %v180 = stablehlo.add %v179, %v178 : tensor<3xf32>
    %v184_cotangent = stablehlo.reshape %v175 : (tensor<180x3xf32>) -> tensor<2x10x9x3xf32>
    %v184_kernel = stablehlo.convolution(%arg4, %v184_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x10x9xf32>, tensor<2x10x9x3xf32>) -> tensor<1x3x3x3xf32>
    %v184 = stablehlo.reshape %v184_kernel : (tensor<1x3x3x3xf32>) -> tensor<9x3xf32>
    %v187 = stablehlo.constant dense<0.0> : tensor<9x3xf32>
    %v188 = stablehlo.add %v187, %v184 : tensor<9x3xf32>
    %v189 = stablehlo.reshape %v188 : (tensor<9x3xf32>) -> tensor<1x3x3x3xf32>
    %v190 = stablehlo.constant dense<0.0> : tensor<1x3x3x3xf32>
    %v191 = stablehlo.add %v190, %v189 : tensor<1x3x3x3xf32>
    %v192 = stablehlo.transpose %v191, dims = [3, 0, 1, 2] : (tensor<1x3x3x3xf32>) -> tensor<3x1x3x3xf32>
    %v193 = stablehlo.constant dense<0.0> : tensor<3x1x3x3xf32>
    %v194 = stablehlo.add %v193, %v192 : tensor<3x1x3x3xf32>
    %v204_cotangent = stablehlo.reshape %v175 : (tensor<180x3xf32>) -> tensor<2x10x9x3xf32>
    %v204_kernel = stablehlo.reshape %v12 : (tensor<9x3xf32>) -> tensor<1x3x3x3xf32>
    %v204_reversed = stablehlo.reverse %v204_kernel, dims = [1, 2] : tensor<1x3x3x3xf32>
    %v204 = stablehlo.convolution(%v204_cotangent, %v204_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x9x3xf32>, tensor<1x3x3x3xf32>) -> tensor<2x1x12x11xf32>
    %v205 = stablehlo.constant dense<0.0> : tensor<2x1x12x11xf32>
    %v206 = stablehlo.add %v205, %v204 : tensor<2x1x12x11xf32>
    %v207 = stablehlo.slice %v206 [0:2, 0:1, 0:12, 1:10] : (tensor<2x1x12x11xf32>) -> tensor<2x1x12x9xf32>
    %v208 = stablehlo.constant dense<0.0> : tensor<2x1x12x9xf32>
    %v209 = stablehlo.add %v208, %v207 : tensor<2x1x12x9xf32>
    %v210 = stablehlo.slice %v209 [0:2, 0:1, 1:11, 0:9] : (tensor<2x1x12x9xf32>) -> tensor<2x1x10x9xf32>
    %v211 = stablehlo.constant dense<0.0> : tensor<2x1x10x9xf32>
    %v212 = stablehlo.add %v211, %v210 : tensor<2x1x10x9xf32>
    return %v47, %v194, %v180, %v89, %v75, %v212 : tensor<f32>, tensor<3x1x3x3xf32>, tensor<3xf32>, tensor<2x3x2x3xf32>, tensor<2xf32>, tensor<2x1x10x9xf32>
  }
}
