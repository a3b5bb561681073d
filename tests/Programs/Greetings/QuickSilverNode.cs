using QuickSilver;

namespace Greetings;

/// <summary>Stands in the place of <see cref="QuickSilver.QuickSilverNode"/> in the README's code, so that it starts
/// its node at another port than the default one, where other programs of this machine may meet.</summary>
internal static class QuickSilverNode
{
    /// <summary>The membership port.</summary>
    public static int Port { get; set; }

    /// <summary>As of the real one.</summary>
    public static Task<QuickSilver.QuickSilverNode> StartAsync()
    {
        var options = new QuickSilverOptions();
        options.Membership.Port = Port;
        return QuickSilver.QuickSilverNode.StartAsync(options);
    }
}
