using System.Net;
using System.Net.Sockets;
using QuickSilver.Testing;

namespace QuickSilver.Membership;

/// <summary>A connector whose connections a test breaks and refuses.</summary>
internal sealed class SwitchedConnector : MembershipConnector
{
    private readonly MembershipConnector _inner;
    private readonly NodeSwitch _switch;
    private readonly Lock _lock = new();
    private Socket? _socket;

    /// <summary>Wraps a connector.</summary>
    /// <param name="inner">This object disposes of it.</param>
    /// <param name="nodeSwitch">What the test turns.</param>
    public SwitchedConnector(MembershipConnector inner, NodeSwitch nodeSwitch)
        : base(security: null)
    {
        _inner = inner;
        _switch = nodeSwitch;
        nodeSwitch.Disconnect = Break;
    }

    /// <inheritdoc/>
    public override MembershipHost? Host => _inner.Host;

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        const string Cut = "the test has cut this node from its cluster";
        if (_switch.IsAway) return Reached.Failed(Cut);
        Reached reached = await _inner.TryConnectAsync(events, stop).ConfigureAwait(false);
        lock (_lock) _socket = reached.Socket;
        // Cut while it connected.
        if (!_switch.IsAway || reached.Socket is null) return reached;
        if (reached.Stream is not null) await reached.Stream.DisposeAsync().ConfigureAwait(false);
        reached.Socket.Dispose();
        return Reached.Failed(Cut);
    }

    /// <inheritdoc/>
    public override bool TryChangeServers(IReadOnlyList<(string Host, int Port)> servers) =>
        _inner.TryChangeServers(servers);

    /// <inheritdoc/>
    public override string? DescribeTries() => _inner.DescribeTries();

    /// <inheritdoc/>
    public override void OnAddressChanged(IPAddress before, IPAddress after) => _inner.OnAddressChanged(before, after);

    /// <inheritdoc/>
    protected override ValueTask StopAsync() => _inner.DisposeAsync();

    private void Break()
    {
        Socket? socket;
        lock (_lock) socket = _socket;
        try
        {
            socket?.Shutdown(SocketShutdown.Both);
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
        {
            // It has ended already.
        }
    }
}
