module @topos {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x2xf32>) -> (tensor<f32>, tensor<2x3xf32>) {
    %v2 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %v3 = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %v4 = stablehlo.constant dense<2.0> : tensor<2x3xf32>
    %v5 = stablehlo.sqrt %v4 : tensor<2x3xf32>
    %v6 = stablehlo.divide %v2, %v5 : tensor<2x3xf32>
    %v7 = chlo.erf %v6 : tensor<2x3xf32> -> tensor<2x3xf32>
    %v8 = stablehlo.add %v3, %v7 : tensor<2x3xf32>
    %v9 = stablehlo.multiply %v2, %v8 : tensor<2x3xf32>
    %v10 = stablehlo.divide %v9, %v4 : tensor<2x3xf32>
    %v11_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v11 = stablehlo.reduce(%v10 init: %v11_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %v12 = stablehlo.constant dense<1.0> : tensor<f32>
    %v13 = stablehlo.broadcast_in_dim %v12, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %v14 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v15 = stablehlo.add %v14, %v13 : tensor<2x3xf32>
    %v16 = stablehlo.divide %v15, %v4 : tensor<2x3xf32>
    %v20 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v21 = stablehlo.add %v20, %v16 : tensor<2x3xf32>
    %v24 = stablehlo.multiply %v21, %v8 : tensor<2x3xf32>
    %v25 = stablehlo.multiply %v21, %v2 : tensor<2x3xf32>
    %v26 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v27 = stablehlo.add %v26, %v24 : tensor<2x3xf32>
    %v28 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v29 = stablehlo.add %v28, %v25 : tensor<2x3xf32>
    %v32 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v33 = stablehlo.add %v32, %v29 : tensor<2x3xf32>
    %v34_squared = stablehlo.multiply %v6, %v6 : tensor<2x3xf32>
    %v34_negated = stablehlo.negate %v34_squared : tensor<2x3xf32>
    %v34_bell = stablehlo.exponential %v34_negated : tensor<2x3xf32>
    %v34_scale = stablehlo.constant dense<1.1283791670955126> : tensor<2x3xf32>
    %v34 = stablehlo.multiply %v34_bell, %v34_scale : tensor<2x3xf32>
    %v35 = stablehlo.multiply %v33, %v34 : tensor<2x3xf32>
    %v36 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v37 = stablehlo.add %v36, %v35 : tensor<2x3xf32>
    %v38 = stablehlo.divide %v37, %v5 : tensor<2x3xf32>
    %v42 = stablehlo.add %v27, %v38 : tensor<2x3xf32>
    %v50 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %v51 = stablehlo.dot_general %v50, %v42, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %v54 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v55 = stablehlo.add %v54, %v51 : tensor<2x3xf32>
    return %v11, %v55 : tensor<f32>, tensor<2x3xf32>
  }
}
