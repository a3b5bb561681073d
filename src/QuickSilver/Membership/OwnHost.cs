using System.Net;

namespace QuickSilver.Membership;

/// <summary>The membership host of a connector's own process, while there is one; a host that has failed is replaced. One call at a time, but for
/// <see cref="OnAddressChanged"/>.</summary>
/// <param name="started">A host that serves already; ends with this. Null: none.</param>
/// <param name="settings">What others are told.</param>
/// <param name="hostEvents">Told by others.</param>
internal sealed class OwnHost(MembershipHost? started, MembershipHostSettings settings, IMembershipHostEvents hostEvents) : IAsyncDisposable
{
    private MembershipHostSettings _settings = settings;
    private volatile MembershipHost? _host = started;

    /// <summary>True while this process serves.</summary>
    public bool IsServing => _host is { IsRunning: true };

    /// <summary>The host of this process; null while another serves. Any thread.</summary>
    public MembershipHost? Serving => _host is { IsRunning: true } host ? host : null;

    /// <summary>Where it serves, or would.</summary>
    public IPEndPoint EndPoint => Volatile.Read(ref _settings).EndPoint;

    /// <summary>Serves, unless it does so already, or another process has the address.</summary>
    /// <param name="events">Told when it begins to.</param>
    /// <param name="stop">Nothing is begun once this is cancelled.</param>
    /// <returns>Why it does not serve, where that is more than that another has the address; else empty.</returns>
    public async ValueTask<string> TryServeAsync(ILinkEvents events, CancellationToken stop)
    {
        if (_host is { IsRunning: false } failed)
        {
            await failed.DisposeAsync().ConfigureAwait(false);
            _host = null;
        }
        if (_host is not null || stop.IsCancellationRequested) return "";
        _host = MembershipHost.TryStart(Volatile.Read(ref _settings), hostEvents, out string refusal);
        if (_host is { } begun) events.OnServing(begun.EndPoint.ToString());
        return refusal;
    }

    /// <summary>An address of the machine has become another: if it serves at the first, it serves at the second from now on. Any thread.</summary>
    public void OnAddressChanged(IPAddress before, IPAddress after)
    {
        if (!EndPoint.Address.Equals(before)) return;
        MembershipHostSettings moved = Volatile.Read(ref _settings) with { EndPoint = new IPEndPoint(after, EndPoint.Port) };
        if (_host is { } host && !host.TryMove(moved.EndPoint)) return;
        Volatile.Write(ref _settings, moved);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _host?.DisposeAsync() ?? ValueTask.CompletedTask;
}
