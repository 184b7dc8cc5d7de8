module @topos {
  func.func @main(%arg0: tensor<1x2x4x4xf32>) -> (tensor<1x2x2x2xf32>) {
    %v12_seed = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v12 = "stablehlo.reduce_window"(%arg0, %v12_seed) ({
    ^bb0(%v12_left: tensor<f32>, %v12_right: tensor<f32>):
      %v12_larger = stablehlo.maximum %v12_left, %v12_right : tensor<f32>
      stablehlo.return %v12_larger : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
    return %v12 : tensor<1x2x2x2xf32>
  }
}
