module @topos {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<2x3xf32>) {
    %v1_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v1 = stablehlo.pad %arg0, %v1_zero, low = [0, 2], high = [0, 1], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
    %v2_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v2 = stablehlo.pad %arg0, %v2_zero, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %v1, %v2 : tensor<2x6xf32>, tensor<2x3xf32>
  }
}
