class EnvironmentWrapper:
    def step(self):
        return self.env.step(action, n_render_iterations=n_render_iterations)

    def reset(self):
        return self.env.reset()
