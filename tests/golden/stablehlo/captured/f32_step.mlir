module @topos {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %v2_mask = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %v2_ones = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %v2_zeros = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %v2 = stablehlo.select %v2_mask, %v2_ones, %v2_zeros : tensor<2x3xi1>, tensor<2x3xf32>
    return %v2 : tensor<2x3xf32>
  }
}
