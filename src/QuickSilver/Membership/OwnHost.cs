using System.Net;

namespace QuickSilver.Membership;

/// <summary>The membership host of this process, if there is one; a failed host is replaced. One call at a time, except
/// <see cref="OnAddressChanged"/>.</summary>
/// <param name="started">A host that serves already, which this object disposes of; null for none.</param>
/// <param name="settings">The settings of further hosts.</param>
/// <param name="hostEvents">Receives the events of further hosts.</param>
internal sealed class OwnHost(
    MembershipHost? started, MembershipHostSettings settings, IMembershipHostEvents hostEvents)
    : IAsyncDisposable
{
    private MembershipHostSettings _settings = settings;
    private volatile MembershipHost? _host = started;

    /// <summary>True while this process serves.</summary>
    public bool IsServing => _host is { IsRunning: true };

    /// <summary>The host of this process; null while another serves. Any thread.</summary>
    public MembershipHost? Serving => _host is { IsRunning: true } host ? host : null;

    /// <summary>The endpoint at which this process serves, or would serve.</summary>
    public IPEndPoint EndPoint => Volatile.Read(ref _settings).EndPoint;

    /// <summary>Starts a host, unless one runs already or another process has the endpoint.</summary>
    /// <param name="events">Receives the start of a host.</param>
    /// <param name="stop">Prevents the start of a host once cancelled.</param>
    /// <returns>The reason of a failure; empty after success, or when another process has the endpoint.</returns>
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

    /// <summary>Moves the host to a new address of the machine, if it serves at the old one. Any thread.</summary>
    public void OnAddressChanged(IPAddress before, IPAddress after)
    {
        if (!EndPoint.Address.Equals(before)) return;
        var endPoint = new IPEndPoint(after, EndPoint.Port);
        MembershipHostSettings moved = Volatile.Read(ref _settings) with { EndPoint = endPoint };
        if (_host is { } host && !host.TryMove(moved.EndPoint)) return;
        Volatile.Write(ref _settings, moved);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _host?.DisposeAsync() ?? ValueTask.CompletedTask;
}
