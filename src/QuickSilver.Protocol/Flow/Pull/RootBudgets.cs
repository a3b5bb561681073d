namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// How much <see cref="SocketRoots"/> sends in one turn. The remainder waits for the next turn, which follows at once.
/// </summary>
internal sealed record RootBudgets
{
    /// <summary>Limit on control datagrams (tokens, acknowledgements, NAKs, pulls, membership).</summary>
    public int ControlDatagrams { get; init; } = 256;

    /// <summary>Limit on repairs, in datagrams; a train begun is sent whole.</summary>
    public int RepairDatagrams { get; init; } = 64;

    /// <summary>Trains of data; at least one, whatever control and repairs took.</summary>
    public int DataTrains { get; init; } = 16;

    /// <summary>
    /// How soon a train that found its socket full is offered again when nothing else wakes the loop.
    /// </summary>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromMicroseconds(200);
}
