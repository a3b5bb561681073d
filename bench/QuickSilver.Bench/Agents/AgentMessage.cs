using System.Text.Json.Serialization;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>What agent and coordinator say after the handshake: one line of JSON each.</summary>
/// <param name="Kind">What it says.</param>
/// <param name="Role">Which role it is about: a number that the coordinator chose.</param>
/// <param name="Order">Of <see cref="AgentMessageKind.Start"/>.</param>
/// <param name="Text">A line for or from a role, or its last words.</param>
/// <param name="Code">Of <see cref="AgentMessageKind.Ended"/>: the exit code.</param>
/// <param name="Bytes">Of <see cref="AgentMessageKind.Counters"/>: sent by the host's card so far.</param>
/// <param name="Facts">Of <see cref="AgentMessageKind.Welcome"/>.</param>
internal sealed record AgentMessage(
    AgentMessageKind Kind,
    int Role = 0,
    RoleOrder? Order = null,
    string? Text = null,
    int Code = 0,
    long Bytes = 0,
    HostFacts? Facts = null);

/// <summary>The kinds of <see cref="AgentMessage"/>.</summary>
internal enum AgentMessageKind
{
    /// <summary>Agent: the run may begin; with the facts about the host.</summary>
    Welcome,

    /// <summary>Agent: another coordinator has it. The connection ends.</summary>
    Busy,

    /// <summary>Coordinator: start a role.</summary>
    Start,

    /// <summary>Coordinator: a line for a role's standard input.</summary>
    Tell,

    /// <summary>Coordinator: close a role's input, and end it if it stays.</summary>
    Close,

    /// <summary>Coordinator: kill a role.</summary>
    Kill,

    /// <summary>Agent: a line of a role's standard output.</summary>
    Line,

    /// <summary>Agent: a role has ended.</summary>
    Ended,

    /// <summary>Coordinator: still there. The agent answers the same.</summary>
    Ping,

    /// <summary>Coordinator: asks for the counters of the card. Agent: the answer.</summary>
    Counters,
}

/// <summary>The agent's first line: anybody may read it.</summary>
/// <param name="Version">Of the protocol that it speaks.</param>
/// <param name="Nonce">Drawn for this connection.</param>
internal sealed record AgentGreeting(int Version, byte[] Nonce);

/// <summary>The coordinator's first line.</summary>
/// <param name="Version">Of the protocol that it speaks.</param>
/// <param name="Nonce">Drawn for this connection.</param>
/// <param name="Proof">That it knows the key.</param>
internal sealed record AgentProof(int Version, byte[] Nonce, byte[] Proof);

/// <summary>JSON between agents and coordinators, by generated code.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(AgentMessage))]
[JsonSerializable(typeof(AgentGreeting))]
[JsonSerializable(typeof(AgentProof))]
internal sealed partial class AgentJson : JsonSerializerContext;
