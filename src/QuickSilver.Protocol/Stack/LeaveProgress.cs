namespace QuickSilver.Protocol.Stack;

/// <summary>One leave under way.</summary>
/// <param name="request">The host's request.</param>
internal sealed class LeaveProgress(LeaveRequest request)
{
    /// <summary>The host's request.</summary>
    public LeaveRequest Request { get; } = request;

    /// <summary>Number of groups that the node is still in.</summary>
    public int Remaining { get; set; }
}

/// <summary>An entry in the list of the leaves that wait for one group.</summary>
/// <param name="Leave">The leave.</param>
/// <param name="Next">Another leave of the same group; null: none.</param>
internal sealed record LeaveWait(LeaveProgress Leave, LeaveWait? Next);
