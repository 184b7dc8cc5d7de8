module @topos {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>) {
    %v2_mask = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v2_ones = stablehlo.constant dense<1.0> : tensor<f32>
    %v2_zeros = stablehlo.constant dense<0.0> : tensor<f32>
    %v2 = stablehlo.select %v2_mask, %v2_ones, %v2_zeros : tensor<i1>, tensor<f32>
    return %v2 : tensor<f32>
  }
}
