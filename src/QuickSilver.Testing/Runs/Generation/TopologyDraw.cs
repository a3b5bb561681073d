namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws who is in which group.</summary>
internal static class TopologyDraw
{
    /// <summary>The names of so many groups.</summary>
    public static string[] Names(int count) => [.. Enumerable.Range(0, count).Select(index => $"group-{index}")];

    /// <summary>A few patterns of groups, so that several nodes share one and make a region together; one node in ten
    /// has a pattern of its own.</summary>
    public static IReadOnlyList<string>[] Groups(Dice dice, int nodes)
    {
        string[] names = Names(dice.Chance(0.3) ? 1 : dice.Between(2, 9));
        string[][] patterns = [.. Enumerable.Range(0, dice.Between(1, 5)).Select(_ => dice.Some(names, 0.5))];
        return [
            .. Enumerable.Range(0, nodes).Select(_ => dice.Chance(0.1) ? dice.Some(names, 0.5) : dice.Pick(patterns))];
    }
}
