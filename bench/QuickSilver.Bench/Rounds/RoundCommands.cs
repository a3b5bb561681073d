namespace QuickSilver.Bench.Rounds;

/// <summary>The words between a coordinator of rounds and its processes, beside those of all roles.</summary>
internal static class RoundCommands
{
    /// <summary>To a sender: send a round. It answers the same when all of it is admitted.</summary>
    public const string Send = "send-round";

    /// <summary>From a receiver: all of a round has come.</summary>
    public const string Received = "received-round";

    /// <summary>To all: say what you did since you were asked before. They answer the same.</summary>
    public const string Figures = "figures";
}
