using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>A long message as its sender made it, so far.</summary>
/// <param name="session">The session in which it is sent.</param>
/// <param name="id">Its name among those of its sender.</param>
internal sealed class SentLongMessage(SimulatedGroup session, ulong id)
{
    /// <summary>The session in which it is sent; when that ends, no piece follows.</summary>
    public SimulatedGroup Session { get; } = session;

    /// <summary>Its name among those of its sender.</summary>
    public ulong Id { get; } = id;

    /// <summary>Its bytes so far.</summary>
    public ContentSum Content { get; } = new();

    /// <summary>True once its last piece was sent.</summary>
    public bool IsComplete { get; set; }

    /// <summary>True once its sender gave it up.</summary>
    public bool IsGivenUp { get; set; }

    /// <summary>True while a piece of it may follow.</summary>
    public bool IsOpen =>
        !IsComplete && !IsGivenUp && Session is { IsOpen: true, Local.IsLeaving: false, Node.IsMember: true };
}
