using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Membership;

/// <summary>One connection between a node and the membership server.</summary>
internal sealed class SimulatedLink(long id, IMembershipClient client, SimulatedMembership server)
{
    /// <summary>The server's end.</summary>
    public SimulatedMembership Server { get; } = server;

    /// <summary>Id at the server.</summary>
    public long Id { get; } = id;

    /// <summary>The node's end.</summary>
    public IMembershipClient Client { get; } = client;

    /// <summary>False once either side has closed or lost it: what is still on the way is dropped.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>The node has ended it, and its machine has said so.</summary>
    public bool IsEnded { get; set; }

    /// <summary>Arrival of the last frame towards the server: later ones come after it.</summary>
    public Instant LastUp { get; set; }

    /// <summary>Arrival of the last frame towards the node.</summary>
    public Instant LastDown { get; set; }

    /// <summary>Frames sent, both ways: numbers the random decisions.</summary>
    public ulong Frames { get; set; }
}
