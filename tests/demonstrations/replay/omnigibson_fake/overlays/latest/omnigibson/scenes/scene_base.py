class Scene:
    def deserialize(self, state):
        found, read = self.facts_in(state[7:])
        read += 7
        for robot in self.robots:
            found[robot.name], more = robot.deserialize(state[read:])
            read += more
        return {"pos": state[:3], "ori": state[3:7], "registry": found}, read
