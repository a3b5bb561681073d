using System.Net;
using System.Text.Json.Serialization;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>The question whether a node may enter a group. <see cref="SecurityOptions.Authorize"/> answers it at the
/// membership server.</summary>
/// <param name="Identity">The first name in the subject alternative names of the node's certificate. Empty with
/// <see cref="SecurityMode.PreSharedKey"/> and <see cref="SecurityMode.None"/>, which prove no identity.</param>
/// <param name="NodeName">The name that the node gave itself, unproven.</param>
/// <param name="Address">The source address of its connection; null if unknown. It is not written as JSON.</param>
/// <param name="Group">The name of the group.</param>
/// <param name="Publishes">True when the node wants to publish to the group without being a member.</param>
public sealed record AuthorizationRequest(
    string Identity, string NodeName, [property: JsonIgnore] IPAddress? Address, string Group, bool Publishes)
{
    /// <summary>True when the node wants to read the statistics of all nodes (<see cref="ClusterMonitor"/>). The group
    /// is "$statistics" then. Nodes that publish their own statistics there are not asked for.</summary>
    public bool IsMonitor => !Publishes && StatisticsGroup.Is(Group);
}
