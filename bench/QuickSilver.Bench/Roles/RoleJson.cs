using System.Text.Json.Serialization;

namespace QuickSilver.Bench.Roles;

/// <summary>JSON between the processes of a scenario, one object a line, written by generated code.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals)]
[JsonSerializable(typeof(RoleOrder))]
[JsonSerializable(typeof(RoleCommand))]
[JsonSerializable(typeof(RoleLine))]
internal sealed partial class RoleJson : JsonSerializerContext;
