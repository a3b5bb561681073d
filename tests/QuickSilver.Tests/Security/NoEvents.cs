using QuickSilver.Membership;

namespace QuickSilver.Tests.Security;

/// <summary>Hears nothing.</summary>
internal sealed class NoEvents : ILinkEvents
{
    public static NoEvents Instance { get; } = new();

    public void OnServing(string endpoint)
    {
    }

    public void OnSeeking(string what)
    {
    }

    public void OnConnected(string server)
    {
    }

    public void OnLost(string server, FrameEnd end)
    {
    }

    public void OnUnreachable(string reason)
    {
    }
}
