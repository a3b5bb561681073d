using System.Diagnostics.CodeAnalysis;

namespace QuickSilver;

/// <summary>The ring of all nodes in groups of <see cref="GroupMode.Ordered"/>: how many packets a node sends while it
/// has the token. The options are of this node: members may differ.</summary>
public sealed class OrderingOptions
{
    /// <summary>Packets that the node sends at a visit of the token, at most. More raise the rate of a node that sends
    /// alone, and the time that others wait for the token. Default: 20.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int PersonalWindow { get; set; } = 20;

    /// <summary>Packets that all nodes together send in a round of the token, at most; fewer where the smallest receive
    /// buffer holds fewer. Default: 160.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int GlobalWindow { get; set; } = 160;

    /// <summary>Packets of a visit that leave after the token, at most: the next node begins to send meanwhile. 0: all
    /// leave before it, as in the original protocol of Totem. Default: 15.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int AcceleratedWindow { get; set; } = 15;

    internal OrderingOptions Copy() => (OrderingOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Ordering.PersonalWindow", PersonalWindow, 1, 1_000);
        errors.InRange("Ordering.GlobalWindow", GlobalWindow, 1, 10_000);
        errors.InRange("Ordering.AcceleratedWindow", AcceleratedWindow, 0, 1_000);
    }
}
