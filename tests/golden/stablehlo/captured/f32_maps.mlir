module @topos {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %v1 = stablehlo.exponential %arg0 : tensor<3xf32>
    %v2 = stablehlo.log %arg0 : tensor<3xf32>
    %v3 = stablehlo.sqrt %arg0 : tensor<3xf32>
    %v4 = stablehlo.tanh %arg0 : tensor<3xf32>
    %v5 = stablehlo.sine %arg0 : tensor<3xf32>
    %v6 = stablehlo.cosine %arg0 : tensor<3xf32>
    %v7 = stablehlo.log_plus_one %arg0 : tensor<3xf32>
    %v8 = stablehlo.exponential_minus_one %arg0 : tensor<3xf32>
    %v9 = chlo.erf %arg0 : tensor<3xf32> -> tensor<3xf32>
    %v10_squared = stablehlo.multiply %arg0, %arg0 : tensor<3xf32>
    %v10_negated = stablehlo.negate %v10_squared : tensor<3xf32>
    %v10_bell = stablehlo.exponential %v10_negated : tensor<3xf32>
    %v10_scale = stablehlo.constant dense<1.1283791670955126> : tensor<3xf32>
    %v10 = stablehlo.multiply %v10_bell, %v10_scale : tensor<3xf32>
    return %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
