using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>One member of a view.</summary>
/// <param name="Id">Address and incarnation of the node.</param>
/// <param name="Name">Readable name of the node, which the node chooses itself; not necessarily unique. Bound to
/// <see cref="Identity"/> with <see cref="SecurityOptions.BindNodeNames"/>.</param>
public sealed record Member(MemberId Id, string Name)
{
    /// <summary>The identity that the node's certificate proved to the membership server: the first name in its subject
    /// alternative names. Empty in clusters without certificates.</summary>
    public string Identity { get; init; } = "";

    internal static Member Of(NodeInfo node) => new(new MemberId(node), node.Name) { Identity = node.Identity };
}
