using System.Text.Json.Serialization;

namespace QuickSilver.Hosting.Tests;

/// <summary>A value of typed groups.</summary>
internal readonly record struct Quote(string Symbol, decimal Price);

[JsonSerializable(typeof(Quote))]
internal sealed partial class QuoteContext : JsonSerializerContext;
