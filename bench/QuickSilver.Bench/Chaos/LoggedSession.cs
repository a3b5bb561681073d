namespace QuickSilver.Bench.Chaos;

/// <summary>One session of a node in its groups, as its log has it.</summary>
internal sealed class LoggedSession
{
    /// <summary>Number of the node.</summary>
    public required int Node { get; init; }

    /// <summary>The session in words: "n3.1, session 2".</summary>
    public required string Name { get; init; }

    /// <summary>The node's id in it.</summary>
    public required string Id { get; init; }

    /// <summary>When the join had returned.</summary>
    public required long Joined { get; init; }

    /// <summary>The groups, by number.</summary>
    public required IReadOnlyList<int> Groups { get; init; }

    /// <summary>True while no reader has come to its end.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>True when it lasted to the end of the run.</summary>
    public bool IsSurvivor { get; set; }

    /// <summary>What came, by group and sender.</summary>
    public Dictionary<(int Group, string Sender), LoggedTrack> Tracks { get; } = [];

    /// <summary>The last view told, by group.</summary>
    public Dictionary<int, (ulong Epoch, ulong Number)> Views { get; } = [];

    /// <summary>The track of a sender in a group, made when first asked for.</summary>
    public LoggedTrack Track(int group, string sender)
    {
        if (!Tracks.TryGetValue((group, sender), out LoggedTrack? track))
            Tracks.Add((group, sender), track = new LoggedTrack());
        return track;
    }
}
