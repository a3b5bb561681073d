using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing;

/// <summary>
/// What a test turns on a running node: loss, the nodes that it does not hear, its way to the membership, its clock.
/// The test writes, the node reads. Any thread.
/// </summary>
/// <param name="clock">The clock of the node, and of a membership host in it.</param>
internal sealed class NodeSwitch(IClock clock)
{
    private volatile NetEndpoint[] _unheard = [];
    private volatile bool _isAway;
    private volatile bool _isMute;
    private volatile ISwitchedNode? _node;
    private double _loss;

    /// <summary>The clock of the node.</summary>
    public IClock Clock => clock;

    /// <summary>The running node; null before its start has ended.</summary>
    public ISwitchedNode? Node
    {
        get => _node;
        set
        {
            _node = value;
            Started?.Invoke();
        }
    }

    /// <summary>Called when the node is there: its addresses are known.</summary>
    public Action? Started { get; init; }

    /// <summary>The addresses from which the node sends; empty before it has a transport.</summary>
    public NetEndpoint[] Sources { get; set; } = [];

    /// <summary>Share of received datagrams that are dropped.</summary>
    public double Loss
    {
        get => Volatile.Read(ref _loss);
        set => Volatile.Write(ref _loss, value);
    }

    /// <summary>Addresses whose datagrams are dropped.</summary>
    public NetEndpoint[] Unheard
    {
        get => _unheard;
        set => _unheard = value;
    }

    /// <summary>Called when the node is to lose its connection to the membership.</summary>
    public Action? Disconnect { get; set; }

    /// <summary>Whether the membership is out of the node's reach.</summary>
    public bool IsAway
    {
        get => _isAway;
        set
        {
            _isAway = value;
            if (value) Disconnect?.Invoke();
        }
    }

    /// <summary>Whether nothing that the node sends leaves it any more.</summary>
    public bool IsMute
    {
        get => _isMute;
        set => _isMute = value;
    }

    /// <summary>Whether a datagram from an address is dropped.</summary>
    public bool Drops(NetEndpoint source) => Array.IndexOf(_unheard, source) >= 0;
}
